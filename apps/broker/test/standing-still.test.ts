/** With a manual clock every duty waits for its step, and real time does none of it. */
import { MemoryDisk } from "@minikafka/core/testing";
import type { OperationName } from "@minikafka/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { resolveSettings } from "../src/config.ts";
import { Deadlines } from "../src/deadlines.ts";
import { presentTimers, timers } from "../src/system-timers.ts";
import { tickedSteps } from "../src/ticked-steps.ts";
import { base64, openBroker, Session, settle } from "./support/broker.ts";
import { clusterOf } from "./support/stepped-cluster.ts";

const START_MS = 1_700_000_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
  Object.assign(timers, presentTimers());
});

/** A cluster in which each duty of auto mode has something to do. */
async function overdue(session: Session): Promise<void> {
  const record = { key_b64: base64("k"), value_b64: base64("v"), timestamp_ms: START_MS };
  const topics = { orders: {}, gone: {}, old: { retention_ms: 1000 }, kept: { cleanup_policy: "compact" } };
  for (const [topic, config] of Object.entries(topics))
    await session.call("create_topic", { topic, partitions: 1, replication_factor: 2, config });
  /** Of another client, whose answer needs steps. */
  const stepped = async <Name extends OperationName>(operation: Name, fields: object) => {
    const answer = Session.open(session.broker).call(operation, fields);
    await settle();
    await session.call("run_until_quiet");
    return answer;
  };
  const group = { group_id: "g", member_id: "m", topics: ["orders"], assignor: "roundrobin" };
  await stepped("join_group", group);
  const offsets = [{ topic: "gone", partition: 0, offset: 1 }];
  await stepped("commit_offsets", { group_id: "h", offsets });
  const { producer_id, producer_epoch } = await stepped("init_producer", { transactional_id: "t" });
  await stepped("begin_transaction", { transactional_id: "t", producer_id, producer_epoch });
  const identity = await session.call("init_producer");
  const idempotent = {
    producer_id: identity.producer_id,
    producer_epoch: identity.producer_epoch,
    base_sequence: 0,
  };
  await session.call("produce", { topic: "orders", partition: 0, records: [record], ...idempotent });
  await session.call("run_until_quiet");
  for (const topic of ["old", "kept"]) {
    await session.call("produce", { topic, partition: 0, records: [record] });
    await session.call("replicate_once", { topic });
    await session.call("roll_segment", { topic, partition: 0 });
  }
  await session.call("flush_logs");
  await session.call("delete_topic", { topic: "gone" });
  await session.call("advance_clock", { ms: DAY_MS });
  await session.call("produce", { topic: "orders", partition: 0, records: [record] });
}

function dutiesOfAutoMode(): string[] {
  const nobody = clusterOf(() => undefined);
  const settings = resolveSettings([{ name: "the test", values: { data: "d" } }]);
  const { replica_lag_time_ms: replicaLagTimeMs } = settings;
  return tickedSteps(nobody, { ...settings, replicaLagTimeMs }, Deadlines.ofRealTime()).map(
    ({ name }) => name,
  );
}

test("with a manual clock a day of real time does nothing of what auto mode does, each of which is a pending step", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "Date", "performance"] });
  Object.assign(timers, presentTimers());
  const disk = new MemoryDisk();
  const intervals = { flush_interval_ms: 10, retention_interval_ms: 10, compaction_interval_ms: 10 };
  const broker = await openBroker({ brokers: 2, replica_lag_time_ms: 500, ...intervals }, disk);
  const session = Session.open(broker);
  await overdue(session);
  const look = async (by: Session) => (await by.call("pending_steps")).steps;
  const before = await look(session);
  expect(new Set(before.map(({ operation }) => operation))).toEqual(new Set(dutiesOfAutoMode()));
  const bytes = () => [...disk.files()].map(([path, content]) => `${path} ${content.toString("base64")}`);
  const [bytesBefore, files] = [bytes(), vi.getTimerCount()];
  expect(files, "a timer for the idle connections, and no other").toBe(1);
  await vi.advanceTimersByTimeAsync(DAY_MS);
  await settle();
  expect(session.isClosed, "a connection that is idle for long is closed, as real time has it").toBe(true);
  const later = Session.open(broker);
  expect(await later.call("clock")).toMatchObject({ now_ms: START_MS + DAY_MS });
  expect(await look(later)).toEqual(before);
  expect(bytes()).toEqual(bytesBefore);
});
