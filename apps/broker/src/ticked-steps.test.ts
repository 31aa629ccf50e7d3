import { BrokerError, ManualClock } from "@minikafka/core";
import { expect, test } from "vitest";
import { clusterOf } from "../test/support/stepped-cluster.ts";
import { resolveSettings } from "./config.ts";
import { Deadlines } from "./deadlines.ts";
import { type SteppedCluster, tickedSteps } from "./ticked-steps.ts";
import type { TickedStep } from "./ticker.ts";

const QUIET = clusterOf(() => undefined);

function settingsOf(values: object) {
  const settings = resolveSettings([{ name: "the test", values: { data: "d", ...values } }]);
  return { ...settings, replicaLagTimeMs: settings.replica_lag_time_ms };
}

function stepsOf(cluster: SteppedCluster, values: object = {}, deadlines = Deadlines.ofRealTime()) {
  return tickedSteps(cluster, settingsOf(values), deadlines);
}

function stepOf(name: string, cluster: SteppedCluster, deadlines?: Deadlines): TickedStep {
  return stepsOf(cluster, {}, deadlines).find((step) => step.name === name) as TickedStep;
}

function intervals(values: object): { [step: string]: number } {
  return Object.fromEntries(stepsOf(QUIET, values).map(({ name, everyMs }) => [name, everyMs]));
}

test("each step has Kafka's interval, or the one that is set; with flush os none flushes", () => {
  const rest = {
    apply_retention: 300_000,
    compact: 15_000,
    expire_producers: 600_000,
    replicate_once: 500,
    refresh_isr: 5_000,
    expire_members: 250,
    expire_offsets: 600_000,
    expire_transactions: 1_000,
  };
  expect(intervals({})).toEqual({ flush_logs: 5_000, ...rest });
  expect(intervals({ flush: "interval", flush_interval_ms: 50 })).toEqual({ flush_logs: 50, ...rest });
  expect(intervals({ flush: "os" })).toEqual(rest);
  const set = { retention_interval_ms: 60, compaction_interval_ms: 70 };
  expect(intervals(set)).toMatchObject({ apply_retention: 60, compact: 70 });
  expect(intervals({ replica_lag_time_ms: 300 })).toMatchObject({ refresh_isr: 150 });
  expect(Object.keys(intervals({ freeze_groups: true }))).not.toContain("expire_members");
});

test("a step tells of the same trouble once, and again when it comes back", async () => {
  let problem: string | null = "damaged";
  const cluster = clusterOf(() => {
    if (problem !== null) throw new Error(problem);
  });
  const step = stepOf("expire_members", cluster);
  const outcome = () => step.take().then(() => "quiet", String);
  expect([await outcome(), await outcome()]).toEqual(["Error: damaged", "quiet"]);
  problem = "damaged elsewhere";
  expect([await outcome(), await outcome()]).toEqual(["Error: damaged elsewhere", "quiet"]);
  problem = null;
  expect(await outcome()).toBe("quiet");
  problem = "damaged elsewhere";
  expect(await outcome()).toBe("Error: damaged elsewhere");
});

test("each step tells of a trouble that lasts once", async () => {
  const refusing = clusterOf(() => {
    throw new Error("no leader");
  });
  for (const step of stepsOf(refusing)) {
    const outcome = () => step.take().then(() => "quiet", String);
    expect([step.name, await outcome(), await outcome()]).toEqual([step.name, "Error: no leader", "quiet"]);
  }
});

test("transactions that could not be ended are told of with the first one's reason, once", async () => {
  const error = new BrokerError("LEADER_NOT_AVAILABLE", "orders-0 has no leader", { topic: "orders" });
  const expire = async () => ({ failed: [{ transactionalId: "billing", error }] });
  const step = stepOf("expire_transactions", { ...QUIET, transactions: { expire } });
  await expect(step.take()).rejects.toMatchObject({
    code: "LEADER_NOT_AVAILABLE",
    message: "the transaction of billing could not be ended: orders-0 has no leader",
  });
  await step.take();
});

test("a look for what is over gives up what nobody acknowledges, so that the next one can begin", async () => {
  const clock = new ManualClock(0);
  const deadlines = Deadlines.ofSteppedTime(clock);
  const whenGivenUp = ({ giveUp }: { readonly giveUp: AbortSignal }) =>
    new Promise<{ failed: [] }>((resolve) => {
      giveUp.addEventListener("abort", () => resolve({ failed: [] }));
    });
  const cluster = {
    ...QUIET,
    groups: { ...QUIET.groups, expireMembers: whenGivenUp },
    transactions: { expire: whenGivenUp },
  };
  for (const name of ["expire_members", "expire_transactions"]) {
    const taken = stepOf(name, cluster, deadlines).take();
    expect(deadlines.size).toBe(1);
    clock.advance(5_000);
    deadlines.fireDue();
    await taken;
  }
});

test("each takes the step that it is named after", async () => {
  const taken: string[] = [];
  const ticked = stepsOf(clusterOf((name) => taken.push(name)));
  for (const step of ticked) await step.take();
  expect(taken).toEqual(ticked.map(({ name }) => name));
});
