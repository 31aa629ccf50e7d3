import type { BrokerCluster } from "@minikafka/core";
import { expect, test } from "vitest";
import { resolveSettings } from "./config.ts";
import { tickedSteps } from "./ticked-steps.ts";

/** Notes which steps are taken. */
function recording(): { steps: BrokerCluster["steps"]; taken: string[] } {
  const taken: string[] = [];
  const note = (name: string) => async () => {
    taken.push(name);
  };
  const steps = { flushLogs: note("flush_logs") };
  return { steps: steps as unknown as BrokerCluster["steps"], taken };
}

function intervals(values: object): [string, number][] {
  const settings = resolveSettings([{ name: "the test", values: { data: "d", ...values } }]);
  return tickedSteps(recording().steps, settings).map(({ name, everyMs }) => [name, everyMs]);
}

test("each step has Kafka's interval, or the one that is set; with flush os none flushes", () => {
  expect(intervals({})).toEqual([["flush_logs", 5_000]]);
  expect(intervals({ flush: "interval", flush_interval_ms: 50 })).toEqual([["flush_logs", 50]]);
  expect(intervals({ flush: "os" })).toEqual([]);
});

test("each takes the step that it is named after", async () => {
  const { steps, taken } = recording();
  const settings = resolveSettings([{ name: "the test", values: { data: "d" } }]);
  const ticked = tickedSteps(steps, settings);
  for (const step of ticked) await step.take();
  expect(taken).toEqual(ticked.map(({ name }) => name));
});
