/** Replication, stepped and administered over the wire. */
import { expect, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { base64, openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };

async function replicated(settings: object = {}) {
  const session = Session.open(await openBroker({ brokers: 3, ...settings }));
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 3 });
  const produce = (value: string, acks = "1") =>
    session.call("produce", { ...PLACE, value_b64: base64(value), acks });
  const marks = async () => {
    const { replicas } = await session.call("describe_partition", PLACE);
    return replicas.map((each) => `${each.log_end_offset}/${each.high_watermark}`);
  };
  return { session, produce, marks };
}

test("a round copies, the next one tells: each replica shows its own high watermark", async () => {
  const { session, produce, marks } = await replicated();
  await produce("a");
  expect(await marks()).toEqual(["1/0", "0/0", "0/0"]);
  const first = await session.call("replicate_once", { topic: "orders", broker_id: 2 });
  const copied = { ...PLACE, batches: 1, truncated_to: null, problem: null };
  expect(first.copied).toMatchObject([{ ...copied, broker_id: 2 }]);
  expect(await marks()).toEqual(["1/0", "1/0", "0/0"]);
  expect((await session.call("replicate_once")).copied).toMatchObject([{ ...copied, broker_id: 3 }]);
  expect(await marks()).toEqual(["1/1", "1/0", "1/0"]);
  expect((await session.call("replicate_once")).copied).toEqual([]);
  expect(await marks()).toEqual(["1/1", "1/1", "1/1"]);
});

test("compact says whose replica keeps tombstones, whose time is over, in the log", async () => {
  const session = Session.open(await openBroker({ brokers: 2 }));
  const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0, delete_retention_ms: 0 };
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 2, config });
  await session.call("remove_from_isr", { ...PLACE, broker_id: 2 });
  const record = { key_b64: base64("a"), acks: "1" };
  await session.call("produce", { ...PLACE, ...record, value_b64: base64("deleted") });
  await session.call("produce", { ...PLACE, ...record, value_b64: null });
  await session.call("roll_segment", PLACE);
  await session.call("flush_logs");
  const log = { ...PLACE, broker_id: 1 };
  const first = { ...log, records_kept: 1, records_dropped: 1, tombstones_dropped: 0, records_held: 0 };
  expect(await session.call("compact")).toMatchObject({ compacted: [{ ...first, waits_for: [] }] });
  expect(await session.call("compact")).toMatchObject({
    compacted: [],
    gave_way: [{ ...log, gave_way_to: "replicas", waits_for: [2], passes: 0 }],
  });
  await session.call("replicate_once");
  await session.call("flush_logs");
  expect(await session.call("compact")).toMatchObject({
    compacted: [{ ...log, tombstones_dropped: 1, records_held: 0, waits_for: [] }],
    gave_way: [],
  });
});

test("who lags leaves when it is judged, and acks all then waits for the others alone", async () => {
  const { session, produce } = await replicated();
  await produce("a");
  await session.call("replicate_once");
  await session.call("stop_broker", { broker_id: 3 });
  session.request({ operation: "produce", id: 1, ...PLACE, value_b64: base64("b"), acks: "all" });
  session.request({ operation: "replicate_once", id: 2 });
  session.request({ operation: "advance_clock", id: 3, ms: 10_001 });
  session.request({ operation: "replicate_once", id: 4 });
  session.request({ operation: "refresh_isr", id: 5 });
  const answers = [];
  for (let n = 0; n < 5; n++) answers.push(await session.answer());
  expect(answers.find((answer) => answer?.id === 5)).toMatchObject({
    changed: [{ ...PLACE, from: [1, 2, 3], to: [1, 2] }],
  });
  expect(answers.find((answer) => answer?.id === 1)).toMatchObject({ ok: true, offset: 1 });
});

test("acks all that nobody answers in time is REQUEST_TIMED_OUT, and the broker waits for it no longer", async () => {
  const broker = await openBroker({ brokers: 2 });
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 2 });
  session.request({
    operation: "produce",
    id: 1,
    ...PLACE,
    value_b64: base64("a"),
    acks: "all",
    timeout_ms: 500,
  });
  session.request({ operation: "advance_clock", id: 2, ms: 500 });
  const answers = [await session.answer(), await session.answer()];
  expect(answers.find((answer) => answer?.id === 1)).toMatchObject({ code: "REQUEST_TIMED_OUT" });
  expect(broker.cluster.replicaSet(PLACE).waiting).toBe(0);
  await session.call("replicate_once");
  expect(await session.call("fetch", { ...PLACE, offset: 0 })).toMatchObject({ high_watermark: 1 });
});

test("acks all that may take no time is answered at once, though the clock stands still", async () => {
  const session = Session.open(await openBroker({ brokers: 2, flush: "os" }));
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 2 });
  const produce = { operation: "produce", ...PLACE, value_b64: base64("a"), acks: "all", timeout_ms: 0 };
  expect(await session.ask(produce)).toMatchObject({ code: "REQUEST_TIMED_OUT" });
  await session.call("remove_from_isr", { ...PLACE, broker_id: 2 });
  expect(await session.ask(produce)).toMatchObject({ ok: true, offset: 1 });
});

test("leadership moves when an operator says so, and an old leader's tail is cut when it rejoins", async () => {
  const { session, produce } = await replicated();
  await produce("common");
  await session.call("replicate_once");
  await produce("tail");
  await session.call("stop_broker", { broker_id: 1 });
  expect(await session.ask({ operation: "fetch", ...PLACE, offset: 0 })).toMatchObject({
    code: "LEADER_NOT_AVAILABLE",
  });
  expect(await session.call("promote", { ...PLACE, broker_id: 2 })).toMatchObject({
    leader_id: 2,
    leader_epoch: 1,
    isr: [2, 3],
  });
  await produce("new");
  await session.call("start_broker", { broker_id: 1 });
  expect(await session.call("rejoin", { ...PLACE, broker_id: 1 })).toMatchObject({
    in_sync: true,
    truncated_to: 1,
    batches: 1,
    isr: [1, 2, 3],
  });
});

test("a partition that nobody leads is described all the same, also when no replica can be read", async () => {
  const { session, produce } = await replicated();
  await produce("a");
  await session.call("replicate_once");
  await session.call("stop_broker", { broker_id: 1 });
  expect(await session.call("describe_partition", PLACE)).toMatchObject({
    leader_id: null,
    log_end_offset: 1,
    high_watermark: 1,
    replicas: [
      { broker_id: 1, online: false, log_end_offset: null, problem: "broker 1 is stopped" },
      { broker_id: 2, online: true, log_end_offset: 1, problem: null },
      { broker_id: 3, online: true },
    ],
  });
  for (const broker_id of [2, 3]) await session.call("stop_broker", { broker_id });
  expect(await session.call("describe_partition", PLACE)).toMatchObject({
    leader_id: null,
    log_start_offset: null,
    log_end_offset: null,
    high_watermark: null,
    last_stable_offset: null,
    isr: [1, 2, 3],
    replicas: [{ online: false }, { online: false }, { online: false }],
    segments: [],
    epochs: [],
  });
});

test("the log of any replica can be looked at, so that two that grew apart lie side by side", async () => {
  const { session, produce } = await replicated();
  await produce("common");
  await session.call("replicate_once");
  await produce("tail");
  await session.call("promote", { ...PLACE, broker_id: 2 });
  await produce("new");
  const epochsOn = async (fields: object) => {
    const { batches } = await session.call("dump_log", { ...PLACE, ...fields });
    return batches.map((batch) => `${batch.base_offset} of epoch ${batch.leader_epoch}`);
  };
  expect(await epochsOn({})).toEqual(["0 of epoch 0", "1 of epoch 1"]);
  expect(await epochsOn({ broker_id: 1 })).toEqual(["0 of epoch 0", "1 of epoch 0"]);
  expect(await epochsOn({ broker_id: 3 })).toEqual(["0 of epoch 0"]);
  await session.call("stop_broker", { broker_id: 3 });
  const code = async (brokerId: number) =>
    (await session.ask({ operation: "dump_log", ...PLACE, broker_id: brokerId }))?.code;
  expect([await code(3), await code(9)]).toEqual(["BROKER_NOT_AVAILABLE", "INVALID_REQUEST"]);
});

test("describe_cluster shows the dials in force", async () => {
  const dials = async (settings: RawSettings) =>
    (await Session.open(await openBroker(settings)).call("describe_cluster")).dials;
  expect(await dials({})).toEqual({
    reconciliation: "leader-epoch",
    high_watermark_checkpoint: true,
    ack_rule: "high-watermark",
    replica_lag_max_offsets: null,
    duplicate_window: 5,
    rebalance: "barrier",
  });
  expect(await dials({ profile: "original", data: "/other", duplicate_window: 3 })).toEqual({
    reconciliation: "high-watermark",
    high_watermark_checkpoint: false,
    ack_rule: "captured-isr",
    replica_lag_max_offsets: 10_000,
    duplicate_window: 3,
    rebalance: "immediate",
  });
});

test("what may not be is refused by its code", async () => {
  const { session } = await replicated();
  const code = async (operation: string, fields: object) =>
    (await session.ask({ operation, ...fields }))?.code;
  await session.call("remove_from_isr", { ...PLACE, broker_id: 3 });
  expect(await code("promote", { ...PLACE, broker_id: 3 })).toBe("NOT_IN_SYNC_REPLICA");
  expect(await code("promote", { ...PLACE, broker_id: 9 })).toBe("INVALID_REQUEST");
  expect(await code("remove_from_isr", { ...PLACE, broker_id: 1 })).toBe("INVALID_REQUEST");
  expect(await code("rejoin", { ...PLACE, partition: 5, broker_id: 1 })).toBe("UNKNOWN_PARTITION");
  expect(await code("stop_broker", { broker_id: 9 })).toBe("INVALID_REQUEST");
  expect(await code("replicate_once", { partition: 0 })).toBe("INVALID_REQUEST");
  expect(await code("refresh_isr", { topic: "gone" })).toBe("UNKNOWN_TOPIC");
  expect(await session.call("promote", { ...PLACE, broker_id: 3, unclean: true })).toMatchObject({
    isr: [3],
  });
});

test.each(["replicate_once", "refresh_isr"])(
  "%s is refused where stepping is not allowed",
  async (operation) => {
    const auto = Session.open(await openBroker({ clock: "auto", start_time: undefined }));
    expect(await auto.ask({ operation })).toMatchObject({ code: "STEPPING_DISABLED" });
  },
);

test("under the original's profile acks=all waits for whom it had captured, and the cut at the high watermark loses what all held", async () => {
  for (const [profile, expected] of [
    ["kafka", 2],
    ["original", 1],
  ] as const) {
    const { session, produce } = await replicated({ profile });
    await session.call("alter_config", { topic: "orders", config: { min_insync_replicas: 3 } });
    await produce("a");
    await session.call("replicate_once");
    await session.call("remove_from_isr", { ...PLACE, broker_id: 3 });
    await produce("held by all in sync");
    await session.call("replicate_once");
    await session.call("promote", { ...PLACE, broker_id: 2 });
    expect(await session.call("describe_partition", PLACE)).toMatchObject({
      leader_id: 2,
      log_end_offset: expected,
      high_watermark: 1,
    });
  }
});
