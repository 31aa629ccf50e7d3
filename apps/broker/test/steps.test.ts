/** Background work, stepped over the wire, and records deleted by hand. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { type Answer, base64, openBroker, Session } from "./support/broker.ts";

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
  const segments = answer.segments as { base_offset: number }[];
  return { ...answer, bases: segments.map((segment) => segment.base_offset) };
}

test.each([
  ["compact", {}],
  ["expire_producers", {}],
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
