import { type BrokerCluster, BrokerError } from "@minikafka/core";
import { expect, test } from "vitest";
import { resolveSettings } from "./config.ts";
import { tickedSteps } from "./ticked-steps.ts";

type Cluster = Pick<BrokerCluster, "steps" | "groups" | "transactions">;

/** Notes which steps are taken. */
function recording(): { cluster: Cluster; taken: string[] } {
  const taken: string[] = [];
  const note = (name: string) => async () => {
    taken.push(name);
  };
  const steps = {
    flushLogs: note("flush_logs"),
    applyRetention: note("apply_retention"),
    compact: note("compact"),
    expireProducers: note("expire_producers"),
    retryBehind: note("replicate_once"),
    refreshIsr: note("refresh_isr"),
  };
  const groups = { expireMembers: note("expire_members"), expireOffsets: note("expire_offsets") };
  const transactions = {
    expire: async () => {
      taken.push("expire_transactions");
      return { failed: [] };
    },
  };
  return { cluster: { steps, groups, transactions } as unknown as BrokerCluster, taken };
}

function settingsOf(values: object) {
  const settings = resolveSettings([{ name: "the test", values: { data: "d", ...values } }]);
  return { ...settings, replicaLagTimeMs: settings.replica_lag_time_ms };
}

function intervals(values: object): { [step: string]: number } {
  const ticked = tickedSteps(recording().cluster, settingsOf(values));
  return Object.fromEntries(ticked.map(({ name, everyMs }) => [name, everyMs]));
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
  const expireMembers = async () => {
    if (problem !== null) throw new Error(problem);
  };
  const cluster = { steps: {}, groups: { expireMembers } } as unknown as BrokerCluster;
  const step = tickedSteps(cluster, settingsOf({})).find(({ name }) => name === "expire_members");
  const outcome = async () => step?.take().then(() => "quiet", String);
  expect([await outcome(), await outcome()]).toEqual(["Error: damaged", "quiet"]);
  problem = "damaged elsewhere";
  expect([await outcome(), await outcome()]).toEqual(["Error: damaged elsewhere", "quiet"]);
  problem = null;
  expect(await outcome()).toBe("quiet");
  problem = "damaged elsewhere";
  expect(await outcome()).toBe("Error: damaged elsewhere");
});

test("each step tells of a trouble that lasts once", async () => {
  const refused = () => {
    throw new Error("no leader");
  };
  const room = new Proxy({}, { get: () => refused });
  const cluster = { steps: room, groups: room, transactions: room } as unknown as BrokerCluster;
  for (const step of tickedSteps(cluster, settingsOf({}))) {
    const outcome = () => step.take().then(() => "quiet", String);
    expect([step.name, await outcome(), await outcome()]).toEqual([step.name, "Error: no leader", "quiet"]);
  }
});

test("transactions that could not be ended are told of with the first one's reason, once", async () => {
  const error = new BrokerError("LEADER_NOT_AVAILABLE", "orders-0 has no leader", { topic: "orders" });
  const expire = async () => ({ failed: [{ transactionalId: "billing", error }] });
  const cluster = { steps: {}, groups: {}, transactions: { expire } } as unknown as BrokerCluster;
  const step = tickedSteps(cluster, settingsOf({})).find(({ name }) => name === "expire_transactions");
  await expect(step?.take()).rejects.toMatchObject({
    code: "LEADER_NOT_AVAILABLE",
    message: "the transaction of billing could not be ended: orders-0 has no leader",
  });
  await step?.take();
});

test("each takes the step that it is named after", async () => {
  const { cluster, taken } = recording();
  const ticked = tickedSteps(cluster, settingsOf({}));
  for (const step of ticked) await step.take();
  expect(taken).toEqual(ticked.map(({ name }) => name));
});
