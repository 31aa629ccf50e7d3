import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const SEGMENT = "/data/broker-1/orders-0/00000000000000000000.log";
const ORDERS = { topic: "orders", partition: 0 };

async function withThreeBatches(): Promise<{ session: Session; disk: MemoryDisk }> {
  const disk = new MemoryDisk();
  const session = Session.open(await openBroker({}, disk));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  for (const value of ["a", "b", "c"])
    await session.call("produce", { topic: "orders", records: [{ value_b64: base64(value) }, {}] });
  return { session, disk };
}

/** The other way round, bit by bit. */
function spoil(disk: MemoryDisk, position: number): void {
  const file = disk.openFile(SEGMENT);
  const [byte = 0] = file.readAt(position, 1);
  file.writeAt(position, Buffer.from([byte ^ 0xff]));
  file.close();
}

test("a log is dumped batch by batch, with its records when asked for, in steps that lead to its end", async () => {
  const { session } = await withThreeBatches();
  const whole = await session.call("dump_log", ORDERS);
  expect(whole).toMatchObject({ log_start_offset: 0, log_end_offset: 6, next_offset: 6, damage: [] });
  expect(whole.batches).toMatchObject([
    { segment: 0, position: 0, base_offset: 0, next_offset: 2, record_count: 2, problem: null },
    { leader_epoch: 0, producer_id: -1, producer_epoch: -1, base_sequence: -1, control: null, codec: "none" },
    { base_offset: 4, first_timestamp_ms: 1_700_000_000_000, timestamp_type: "create" },
  ]);
  const step = await session.call("dump_log", { ...ORDERS, offset: 3, max_batches: 1, records: true });
  expect(step).toMatchObject({ batches: [{ base_offset: 2 }], next_offset: 4 });
  expect(step.batches).toMatchObject([{ records: [{ offset: 2, value_b64: base64("b") }, { offset: 3 }] }]);
  expect(await session.ask({ operation: "dump_log", ...ORDERS, offset: 7 })).toMatchObject({
    code: "OFFSET_OUT_OF_RANGE",
  });
});

test("the entries of the indexes that lead to the dumped batches come when asked for, and no others", async () => {
  const session = Session.open(await openBroker());
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  // Each is longer than the interval between two entries.
  const value_b64 = base64("a".repeat(5000));
  for (const timestamp_ms of [5, 9, 7, 11])
    await session.call("produce", { topic: "orders", records: [{ value_b64, timestamp_ms }] });
  const whole = await session.call("dump_log", { ...ORDERS, indexes: true });
  const [, second, third, fourth] = whole.batches.map(({ position }) => position);
  const times = [
    { timestamp_ms: 9, offset: 1 },
    { timestamp_ms: 11, offset: 3 },
  ];
  const offsets = [second, third, fourth].map((position, n) => ({ offset: n + 1, position }));
  expect(whole.indexes).toEqual([{ segment: 0, offsets, times }]);
  const step = await session.call("dump_log", { ...ORDERS, indexes: true, offset: 1, max_batches: 2 });
  expect(step.indexes).toEqual([{ segment: 0, offsets: offsets.slice(0, 2), times: times.slice(0, 1) }]);
  expect(await session.call("dump_log", ORDERS)).not.toHaveProperty("indexes");
  expect(await session.ask({ operation: "dump_log", ...ORDERS, indexes: 1 })).toMatchObject({
    code: "INVALID_REQUEST",
  });
});

test("a damaged batch is a part of the answer, whatever its header says, and those behind it come too", async () => {
  const { session, disk } = await withThreeBatches();
  const { batches } = await session.call("dump_log", ORDERS);
  const [, second] = batches;
  // The highest byte of the base offset.
  spoil(disk, (second?.position ?? 0) + 14);
  expect((await session.call("dump_log", ORDERS)).batches).toMatchObject([
    { problem: null },
    { position: second?.position, problem: expect.stringContaining("CRC") },
    { problem: null },
  ]);
  spoil(disk, 0);
  expect(await session.call("dump_log", ORDERS)).toMatchObject({
    batches: [],
    damage: [{ segment: 0, position: 0, problem: expect.stringContaining("magic") }],
    next_offset: 6,
  });
});
