import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const SEGMENT = "/data/broker-1/orders-0/00000000000000000000.log";
const ORDERS = { topic: "orders", partition: 0 };

/** Batches of two records, longer than the interval between two entries of an index. */
async function withFourBatches(): Promise<{ session: Session; disk: MemoryDisk }> {
  const disk = new MemoryDisk();
  const session = Session.open(await openBroker({}, disk));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const value_b64 = base64("a".repeat(5000));
  for (const timestamp_ms of [100, 300, 200, 400]) {
    const records = [{ value_b64, timestamp_ms }, { timestamp_ms: timestamp_ms + 1 }];
    await session.call("produce", { topic: "orders", records });
  }
  return { session, disk };
}

test("an offset is shown with its batch, its place there, and the way to it", async () => {
  const { session } = await withFourBatches();
  const { batches } = await session.call("dump_log", ORDERS);
  const [, , third] = batches;
  expect(await session.call("find_in_log", { ...ORDERS, offset: 5 })).toMatchObject({
    log_start_offset: 0,
    log_end_offset: 8,
    steps: [
      { step: "segment", segment: 0, next_offset: 8, max_timestamp_ms: 401, taken: true },
      { step: "offset_index", segment: 0, offset: 4, position: third?.position },
      { step: "scan", segment: 0, position: third?.position, batches: 1 },
    ],
    steps_left_out: 0,
    batch: third,
    record: { offset: 5, timestamp_ms: 201, place: 1 },
    damage: null,
  });
});

test("a time is shown with the entries between which it lies, and finds what list_offsets finds", async () => {
  const { session } = await withFourBatches();
  for (const timestamp_ms of [0, 100, 101, 102, 201, 301, 302, 401]) {
    const { offset } = await session.call("list_offsets", { ...ORDERS, timestamp_ms });
    const found = await session.call("find_in_log", { ...ORDERS, timestamp_ms });
    expect(found.record, `time ${timestamp_ms}`).toMatchObject({ offset });
  }
  const { steps } = await session.call("find_in_log", { ...ORDERS, timestamp_ms: 302 });
  expect(steps).toContainEqual({
    step: "time_index",
    segment: 0,
    after: { timestamp_ms: 301, offset: 2 },
    until: { timestamp_ms: 401, offset: 6 },
  });
  const late = await session.call("find_in_log", { ...ORDERS, timestamp_ms: 402 });
  expect(late).toMatchObject({ batch: null, record: null, damage: null });
});

test("damage is a part of the answer", async () => {
  const { session, disk } = await withFourBatches();
  const file = disk.openFile(SEGMENT);
  file.writeAt(80, Buffer.from([0xff]));
  file.close();
  expect(await session.call("find_in_log", { ...ORDERS, offset: 1 })).toMatchObject({
    batch: { position: 0, problem: expect.stringContaining("CRC") },
    record: null,
  });
  expect(await session.call("find_in_log", { ...ORDERS, timestamp_ms: 101 })).toMatchObject({
    batch: null,
    damage: { segment: 0, position: 0, problem: expect.stringContaining("CRC") },
  });
});

test("what cannot be sought is refused with its code", async () => {
  const { session } = await withFourBatches();
  const codeOf = async (fields: object) =>
    (await session.ask({ operation: "find_in_log", ...ORDERS, ...fields }))?.code;
  expect(await codeOf({})).toBe("INVALID_REQUEST");
  expect(await codeOf({ offset: 1, timestamp_ms: 1 })).toBe("INVALID_REQUEST");
  for (const fields of [{ offset: -1 }, { offset: 0.5 }, { offset: "1" }, { timestamp_ms: -2 }])
    expect(await codeOf(fields)).toBe("INVALID_REQUEST");
  expect(await codeOf({ offset: 8 })).toBe("OFFSET_OUT_OF_RANGE");
  expect(await codeOf({ offset: 1, partition: 1 })).toBe("UNKNOWN_PARTITION");
  expect(await codeOf({ offset: 1, topic: "nobody" })).toBe("UNKNOWN_TOPIC");
});
