/** Background work, stepped over the wire, and records deleted by hand. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { type Answer, base64, openBroker, Session, settle } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };

async function withOrders(config: object = {}, disk = new MemoryDisk()): Promise<Session> {
  const session = Session.open(await openBroker({}, disk));
  await session.call("create_topic", { topic: "orders", partitions: 2, config });
  return session;
}

/** Batches of one record each. */
async function produce(session: Session, values: readonly string[], place: object = PLACE): Promise<void> {
  for (const value of values) await session.call("produce", { ...place, value_b64: base64(value) });
}

/** The partition, with where its segments begin. */
async function described(session: Session): Promise<Answer & { readonly bases: readonly number[] }> {
  const answer = await session.call("describe_partition", PLACE);
  const segments = answer.segments;
  return { ...answer, bases: segments.map((segment) => segment.base_offset) };
}

test.each([
  ["roll_segment", PLACE],
  ["apply_retention", {}],
  ["compact", {}],
  ["expire_producers", {}],
  ["expire_members", {}],
  ["expire_offsets", {}],
  ["flush_logs", {}],
])("%s is refused where stepping is not allowed", async (operation, fields) => {
  const auto = Session.open(await openBroker({ clock: "auto", start_time: undefined }));
  expect(await auto.ask({ operation, ...fields })).toMatchObject({
    code: "STEPPING_DISABLED",
    retriable: false,
  });
});

test("flush_logs makes durable what was written before, and nothing does so by itself while time stands still", async () => {
  const disk = new MemoryDisk();
  const session = await withOrders({}, disk);
  const endAfterPowerCut = async () => {
    const copy = disk.clone();
    copy.crash({ mode: "lost" });
    return (await described(Session.open(await openBroker({}, copy)))).log_end_offset;
  };
  await produce(session, ["written"]);
  expect(await endAfterPowerCut()).toBe(0);
  await session.call("flush_logs");
  expect(await endAfterPowerCut()).toBe(1);
});

test("roll_segment begins a new segment, and leaves an empty one as it is", async () => {
  const session = await withOrders();
  expect(await session.call("roll_segment", PLACE)).toMatchObject({ rolled: false, base_offset: 0 });
  await produce(session, ["a", "b"]);
  expect(await session.call("roll_segment", PLACE)).toMatchObject({ rolled: true, base_offset: 2 });
  expect(await session.call("roll_segment", PLACE)).toMatchObject({ rolled: false, base_offset: 2 });
  await produce(session, ["c"]);
  expect((await described(session)).bases).toEqual([0, 2]);
  expect(await session.ask({ operation: "roll_segment", topic: "orders", partition: 9 })).toMatchObject({
    code: "UNKNOWN_PARTITION",
  });
});

test("apply_retention deletes what is too much, oldest first, in the topic that was named", async () => {
  const session = await withOrders({ segment_bytes: 1024 });
  await produce(session, ["1".repeat(900), "2".repeat(900), "3".repeat(900)]);
  expect(await session.call("apply_retention")).toMatchObject({ deleted: [] });
  await session.call("create_topic", { topic: "other", partitions: 1 });
  await session.call("alter_config", { topic: "orders", config: { retention_bytes: 1900 } });
  expect(await session.call("apply_retention", { topic: "other" })).toMatchObject({ deleted: [] });
  expect(await session.call("apply_retention", { topic: "orders" })).toMatchObject({
    deleted: [
      {
        topic: "orders",
        partition: 0,
        broker_id: 1,
        base_offset: 0,
        next_offset: 1,
        size_bytes: expect.any(Number),
        reason: "size",
      },
    ],
  });
  expect(await described(session)).toMatchObject({ log_start_offset: 1, bases: [1, 2] });
  expect(await session.ask({ operation: "apply_retention", topic: "nowhere" })).toMatchObject({
    code: "UNKNOWN_TOPIC",
  });
});

test("compact passes over the closed segments of compacted topics alone", async () => {
  const session = await withOrders({ cleanup_policy: "compact", segment_bytes: 1024 });
  await session.call("create_topic", { topic: "kept", partitions: 1, config: { segment_bytes: 1024 } });
  for (const topic of ["orders", "kept"]) {
    // The last one does not fit, and begins a new segment.
    for (const value of ["1", "2", "3".repeat(1000)])
      await session.call("produce", { topic, key_b64: base64("alice"), value_b64: base64(value) });
  }
  expect(await session.call("compact")).toMatchObject({ compacted: [] });
  await session.call("flush_logs");
  expect(await session.call("compact", { topic: "kept" })).toMatchObject({ compacted: [] });
  expect(await session.call("compact")).toMatchObject({
    compacted: [
      { ...PLACE, broker_id: 1, first_dirty_offset: 2, complete: true, records_kept: 1, records_dropped: 1 },
    ],
  });
  const { records } = await session.call("fetch", { ...PLACE, offset: 0 });
  expect(records).toMatchObject([{ offset: 1, value_b64: base64("2") }]);
  expect(await session.call("compact")).toMatchObject({ compacted: [] });
  expect(await session.ask({ operation: "compact", topic: "nowhere" })).toMatchObject({
    code: "UNKNOWN_TOPIC",
  });
});

test("compact says in which partitions records were deleted meanwhile, so that its pass gave way", async () => {
  const disk = new MemoryDisk();
  const session = await withOrders({ cleanup_policy: "compact,delete", segment_bytes: 1024 }, disk);
  for (const value of ["1", "2", "3".repeat(1000)])
    await session.call("produce", { ...PLACE, key_b64: base64("alice"), value_b64: base64(value) });
  await session.call("flush_logs");
  disk.holdSyncs();
  session.request({ operation: "compact" });
  await settle();
  session.request({ operation: "delete_records", ...PLACE, before_offset: 2 });
  await settle();
  disk.releaseSyncs();
  const answers = [await session.answer(), await session.answer()];
  expect(answers).toContainEqual(expect.objectContaining({ ok: true, log_start_offset: 2 }));
  expect(answers).toContainEqual(
    expect.objectContaining({
      compacted: [],
      gave_way: [{ ...PLACE, broker_id: 1, gave_way_to: "removal", waits_for: [], passes: 1 }],
    }),
  );
  expect(await session.call("compact")).toMatchObject({ compacted: [], gave_way: [] });
});

test("expire_producers lets partitions forget who was silent for a day, and nothing does so by itself", async () => {
  const session = await withOrders();
  const produceAs = async (producer: Answer, baseSequence: number) => {
    const { producer_id, producer_epoch } = producer;
    const fields = { producer_id, producer_epoch, base_sequence: baseSequence };
    return await session.call("produce", { ...PLACE, value_b64: base64("v"), ...fields });
  };
  const [silent, busy] = [await session.call("init_producer"), await session.call("init_producer")];
  await produceAs(silent, 0);
  await session.call("advance_clock", { ms: 86_399_999 });
  await produceAs(busy, 0);
  expect((await session.call("expire_producers")).expired).toEqual([]);
  await session.call("advance_clock", { ms: 1 });
  expect(await produceAs(silent, 0)).toMatchObject({ offset: 0, duplicate: true });
  expect((await session.call("expire_producers")).expired).toEqual([
    { ...PLACE, broker_id: 1, producer_ids: [silent.producer_id] },
  ]);
  expect(await produceAs(silent, 5)).toMatchObject({ offset: 2 });
  expect(await produceAs(busy, 0)).toMatchObject({ offset: 1, duplicate: true });
});

test("delete_records moves the start of the log up to the high watermark, never back, and durably", async () => {
  const disk = new MemoryDisk();
  const session = await withOrders({}, disk);
  await produce(session, ["a", "b", "c"]);
  await session.call("flush_logs");
  const remove = (before_offset: number) => session.call("delete_records", { ...PLACE, before_offset });
  expect(await remove(0)).toMatchObject({ log_start_offset: 0 });
  expect(await remove(2)).toMatchObject({ log_start_offset: 2 });
  expect(await remove(1)).toMatchObject({ log_start_offset: 2 });
  disk.crash({ mode: "lost" });
  const again = Session.open(await openBroker({}, disk));
  expect(await described(again)).toMatchObject({ log_start_offset: 2, log_end_offset: 3 });
  expect(await again.call("fetch", { ...PLACE, offset: 2 })).toMatchObject({ log_start_offset: 2 });
  expect(await again.ask({ operation: "fetch", ...PLACE, offset: 1 })).toMatchObject({
    code: "OFFSET_OUT_OF_RANGE",
    details: { log_start_offset: 2, log_end_offset: 3 },
  });
  expect(await again.call("list_offsets", { ...PLACE, timestamp_ms: -2 })).toMatchObject({ offset: 2 });
  expect(await again.call("delete_records", { ...PLACE, before_offset: -1 })).toMatchObject({
    log_start_offset: 3,
  });
});

test.each([
  [{ ...PLACE, before_offset: 2 }, "OFFSET_OUT_OF_RANGE", "at most 1, the high watermark"],
  [{ ...PLACE, before_offset: -2 }, "INVALID_REQUEST", "before_offset"],
  [
    { ...PLACE, before_offset: 0.5 },
    "INVALID_REQUEST",
    "before_offset: expected -1 or a whole number from 0 to",
  ],
  [{ ...PLACE }, "INVALID_REQUEST", "before_offset"],
  [{ topic: "orders", partition: 9, before_offset: 0 }, "UNKNOWN_PARTITION", "partition 9"],
  [{ topic: "nowhere", partition: 0, before_offset: 0 }, "UNKNOWN_TOPIC", "nowhere"],
  [{ topic: "profiles", partition: 0, before_offset: 0 }, "POLICY_VIOLATION", "is compact"],
])("delete_records of %j is refused with %s", async (request, code, cause) => {
  const session = await withOrders();
  await session.call("create_topic", {
    topic: "profiles",
    partitions: 1,
    config: { cleanup_policy: "compact" },
  });
  await produce(session, ["a"]);
  expect(await session.ask({ operation: "delete_records", ...request })).toMatchObject({
    ok: false,
    code,
    message: expect.stringContaining(cause),
  });
  expect(await described(session)).toMatchObject({ log_start_offset: 0 });
});
