import { expect, test } from "vitest";
import { ScriptedPeer } from "../test/support/scripted-peer.ts";
import { camelCased } from "./camel-case.ts";
import { connect } from "./client.ts";
import { ManualClock } from "./clock.ts";

async function administering() {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { clock: new ManualClock() });
  return { peer, client, admin: client.admin() };
}

const leader = (partition: number) => ({ partition, leader_id: 1, leader_epoch: 4, replicas: [1], isr: [1] });
const marks = { high_watermark: 3, last_stable_offset: 3, log_start_offset: 0, log_end_offset: 3 };

test("createTopic leaves to the broker what the caller leaves out", async () => {
  const { peer, client, admin } = await administering();
  const created = admin.createTopic({ topic: "orders", partitions: 2, config: { segment_bytes: 4_096 } });
  const request = await peer.next("create_topic");
  expect(request.fields).toEqual({
    operation: "create_topic",
    id: 1,
    topic: "orders",
    partitions: 2,
    replication_factor: 1,
    config: { segment_bytes: 4_096 },
  });
  request.answer({ topic: "orders" });
  await created;
  await client.close();
});

test("deleteTopic fails with the broker's code", async () => {
  const { peer, client, admin } = await administering();
  const deleted = admin.deleteTopic("orders");
  (await peer.next("delete_topic")).refuse("UNKNOWN_TOPIC");
  await expect(deleted).rejects.toMatchObject({ code: "UNKNOWN_TOPIC" });
  await client.close();
});

test("answers come in the SDK's names", async () => {
  const { peer, client, admin } = await administering();
  const listed = admin.listTopics();
  (await peer.next("list_topics")).answer({
    topics: [{ topic: "orders", partitions: 2, replication_factor: 1 }],
  });
  expect(await listed).toEqual([{ topic: "orders", partitions: 2, replicationFactor: 1 }]);
  const metadata = admin.metadata("orders");
  (await peer.next("metadata")).answer({ topic: "orders", partitions: [leader(0)] });
  expect(await metadata).toEqual({
    topic: "orders",
    partitions: [{ partition: 0, leaderId: 1, leaderEpoch: 4, replicas: [1], isr: [1] }],
  });
  await client.close();
});

test("describeTopic looks at each partition, and one that is off line says why without hiding the others", async () => {
  const { peer, client, admin } = await administering();
  const described = admin.describeTopic("orders");
  (await peer.next("metadata")).answer({ topic: "orders", partitions: [leader(0), leader(1)] });
  const place = {
    topic: "orders",
    leader_id: 1,
    leader_epoch: 4,
    isr: [1],
    replicas: [],
    segments: [],
    producer_count: 0,
    producers: [],
    open_transactions: [],
    epochs: [],
  };
  (await peer.next("describe_partition")).refuse("STORAGE_ERROR");
  (await peer.next("describe_partition")).answer({ partition: 1, ...place, ...marks });
  const { partitions } = await described;
  expect(partitions[0]).toMatchObject({ partition: 0, description: null, error: { code: "STORAGE_ERROR" } });
  expect(partitions[1]).toMatchObject({
    partition: 1,
    description: { logEndOffset: 3, highWatermark: 3 },
    error: null,
  });
  await client.close();
});

test.each([
  ["earliest", -2],
  ["latest", -1],
  ["beginning", -2],
  ["end", -1],
  [{ timestampMs: 77 }, 77],
] as const)("listOffsets at %j asks for %i", async (at, timestampMs) => {
  const { peer, client, admin } = await administering();
  const found = admin.listOffsets({ topic: "orders", partition: 1, at });
  const request = await peer.next("list_offsets");
  expect(request.fields).toMatchObject({ partition: 1, timestamp_ms: timestampMs });
  request.answer({ offset: null, timestamp_ms: null });
  expect(await found).toEqual({ offset: null, timestampMs: null });
  await client.close();
});

test("the stepper reads and moves the broker's clock", async () => {
  const { peer, client } = await administering();
  const stepper = client.stepper();
  const read = stepper.clock();
  (await peer.next("clock")).answer({ now_ms: 5 });
  expect(await read).toBe(5);
  const moved = stepper.advanceClock(10);
  const request = await peer.next("advance_clock");
  expect(request.fields.ms).toBe(10);
  request.answer({ now_ms: 15 });
  expect(await moved).toBe(15);
  const flushed = stepper.flushLogs();
  (await peer.next("flush_logs")).answer({ flushed: [], noted: [2] });
  expect(await flushed).toEqual({ flushed: [], noted: [2] });
  await client.close();
});

test("names are put into camel case at every depth, values are left alone", () => {
  const fields = { now_ms: 1, brokers: [{ broker_id: 2, state: "a_b" }], log_end_offset: null };
  expect(camelCased(fields)).toEqual({
    nowMs: 1,
    brokers: [{ brokerId: 2, state: "a_b" }],
    logEndOffset: null,
  });
});

test("findInLog asks for an offset or a time, and tells the steps by the SDK's names", async () => {
  const { peer, client, admin } = await administering();
  const place = { topic: "orders", partition: 1 };
  const byOffset = admin.findInLog({ ...place, offset: 7 });
  const first = await peer.next("find_in_log");
  expect(first.fields).toMatchObject({ ...place, offset: 7 });
  expect(first.fields).not.toHaveProperty("timestamp_ms");
  const marks_ = { ...place, log_start_offset: 0, log_end_offset: 9, steps_left_out: 0 };
  const step = { step: "segment", segment: 0, next_offset: 9, max_timestamp_ms: 5, taken: true } as const;
  const record = { offset: 7, timestamp_ms: 5, place: 1 };
  first.answer({ ...marks_, steps: [step], batch: null, record, damage: null });
  expect(await byOffset).toMatchObject({
    logEndOffset: 9,
    steps: [{ step: "segment", nextOffset: 9, maxTimestampMs: 5, taken: true }],
    record: { offset: 7, timestampMs: 5, place: 1 },
  });
  const byTime = admin.findInLog({ ...place, timestampMs: 5 });
  const second = await peer.next("find_in_log");
  expect(second.fields).toMatchObject({ ...place, timestamp_ms: 5 });
  expect(second.fields).not.toHaveProperty("offset");
  second.answer({ ...marks_, steps: [], batch: null, record: null, damage: null });
  expect((await byTime).record).toBeNull();
  await client.close();
});

test("dumpLog asks for what was given and leaves the rest to the broker", async () => {
  const { peer, client, admin } = await administering();
  const dumped = admin.dumpLog({ topic: "orders", partition: 1, offset: 2, maxBatches: 3, indexes: true });
  const request = await peer.next("dump_log");
  expect(request.fields).toMatchObject({
    topic: "orders",
    partition: 1,
    offset: 2,
    max_batches: 3,
    indexes: true,
  });
  const damage = [{ segment: 0, position: 83, problem: "magic is 0x00" }];
  const marks_ = { log_start_offset: 0, log_end_offset: 3, next_offset: 3 };
  const times = [{ timestamp_ms: 5, offset: 1 }];
  const aborted = [{ producer_id: 7, first_offset: 0, last_offset: 1, position: 80 }];
  const indexes = [{ segment: 0, offsets: [{ offset: 1, position: 80 }], times, aborted }];
  request.answer({ topic: "orders", partition: 1, ...marks_, batches: [], damage, indexes });
  expect(await dumped).toEqual({
    topic: "orders",
    partition: 1,
    logStartOffset: 0,
    logEndOffset: 3,
    nextOffset: 3,
    batches: [],
    damage,
    indexes: [
      {
        segment: 0,
        offsets: [{ offset: 1, position: 80 }],
        times: [{ timestampMs: 5, offset: 1 }],
        aborted: [{ producerId: 7, firstOffset: 0, lastOffset: 1, position: 80 }],
      },
    ],
  });
  await client.close();
});

test("describeConfig and alterConfig speak the broker's names of settings, and null takes a value back", async () => {
  const { peer, client, admin } = await administering();
  const described = admin.describeConfig("orders");
  (await peer.next("describe_config")).answer({
    topic: "orders",
    config: [
      {
        name: "retention_ms",
        value: 5,
        source: "topic",
        default_value: -1,
        kafka_name: "retention.ms",
        meaning: "how old",
      },
    ],
  });
  expect(await described).toEqual([
    {
      name: "retention_ms",
      value: 5,
      source: "topic",
      defaultValue: -1,
      kafkaName: "retention.ms",
      meaning: "how old",
    },
  ]);
  const altered = admin.alterConfig("orders", { retention_ms: null, segment_ms: 7 });
  const request = await peer.next("alter_config");
  expect(request.fields).toMatchObject({ topic: "orders", config: { retention_ms: null, segment_ms: 7 } });
  request.answer({ topic: "orders" });
  await altered;
  await client.close();
});

test("the stepper takes the broker's background work, of all topics or one, and says what it did", async () => {
  const { peer, client } = await administering();
  const stepper = client.stepper();
  const rolled = stepper.rollSegment({ topic: "orders", partition: 1 });
  const roll = await peer.next("roll_segment");
  expect(roll.fields).toMatchObject({ topic: "orders", partition: 1 });
  roll.answer({ rolled: true, base_offset: 7 });
  expect(await rolled).toEqual({ rolled: true, baseOffset: 7 });

  const segment = {
    topic: "orders",
    partition: 1,
    broker_id: 1,
    base_offset: 0,
    next_offset: 7,
    size_bytes: 9,
  };
  const deleted = stepper.applyRetention({ topic: "orders" });
  const retention = await peer.next("apply_retention");
  expect(retention.fields).toMatchObject({ topic: "orders" });
  retention.answer({ closed: [segment], deleted: [{ ...segment, reason: "time" }] });
  const { closed, deleted: gone } = await deleted;
  const segmentOf = {
    topic: "orders",
    partition: 1,
    brokerId: 1,
    baseOffset: 0,
    nextOffset: 7,
    sizeBytes: 9,
  };
  expect(closed).toEqual([segmentOf]);
  expect(gone).toEqual([{ ...segmentOf, reason: "time" }]);

  const compacted = stepper.compact();
  const compaction = await peer.next("compact");
  expect(compaction.fields).not.toHaveProperty("topic");
  const place = { topic: "orders", partition: 0, broker_id: 1 };
  compaction.answer({
    compacted: [],
    gave_way: [{ ...place, gave_way_to: "replicas", waits_for: [3], passes: 0 }],
  });
  expect(await compacted).toEqual({
    compacted: [],
    gaveWay: [
      { topic: "orders", partition: 0, brokerId: 1, gaveWayTo: "replicas", waitsFor: [3], passes: 0 },
    ],
  });
  await client.close();
});

test.each([
  [4, 4],
  ["highWatermark", -1],
] as const)(
  "deleteRecords before %s asks for %i, and resolves with where the log begins",
  async (beforeOffset, before_offset) => {
    const { peer, client, admin } = await administering();
    const deleted = admin.deleteRecords({ topic: "orders", partition: 1, beforeOffset });
    const request = await peer.next("delete_records");
    expect(request.fields).toMatchObject({ topic: "orders", partition: 1, before_offset });
    request.answer({ log_start_offset: 4 });
    expect(await deleted).toBe(4);
    await client.close();
  },
);
