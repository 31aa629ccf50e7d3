import { expect, test } from "vitest";
import { producing } from "../../test/support/producing.ts";
import { FrameMemory } from "./frame-memory.ts";
import { ProducerBatch } from "./producer-batch.ts";

test("memory that was given back is taken again where it fits, and by one at a time", () => {
  const frames = new FrameMemory(10_000);
  const memory = Buffer.alloc(1_000);
  frames.giveBack(memory);
  expect(frames.take(1_001)).not.toBe(memory);
  expect(frames.take(499)).not.toBe(memory);
  expect(frames.take(900)).toBe(memory);
  expect(frames.take(900)).not.toBe(memory);
});

test("what is kept is bounded, and the oldest goes first", () => {
  const frames = new FrameMemory(2_500);
  const [oldest, ...others] = [1_000, 1_001, 1_002].map((bytes) => Buffer.alloc(bytes));
  for (const memory of [oldest, ...others]) frames.giveBack(memory as Buffer);
  const taken = [1, 2, 3].map(() => frames.take(990));
  expect(taken).not.toContain(oldest);
  expect(taken).toEqual(expect.arrayContaining(others));
  frames.giveBack(Buffer.alloc(2_501));
  expect(frames.take(2_000).length).toBe(2_000);
});

test("batches that use each other's memory reach the broker as they are", async () => {
  const { broker, client, producer } = await producing({ batchBytes: 1_000, deliveryTimeoutMs: 100_000 });
  const values: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    const texts = Array.from({ length: 30 }, (_none, index) => `${round}/${index}`.padEnd(60, "."));
    values.push(...texts);
    await producer.sendMany(
      texts.map((value) => ({ topic: "orders", partition: 0, value: Buffer.from(value) })),
    );
  }
  expect(broker.values("orders", 0)).toEqual(values);
  await client.close();
});

test.each([
  [0, true],
  [1, false],
])("after %d failed attempts a delivered batch's memory is used again: %s", (failures, isUsedAgain) => {
  const frames = new FrameMemory(10_000);
  const bounds = { frameBytesMax: 1_000, expectedBytes: 5_000, frames, codec: null };
  const batch = new ProducerBatch({ topic: "orders", partition: 0 }, 0, 0, bounds);
  const delivery = { succeed: () => {}, fail: () => {} };
  const record = { key: null, value: Buffer.from("v"), timestampMs: 1, headers: [] };
  batch.add({ ...record, delivery, slot: 0, heldBytes: 1 });
  const placeOf = ({ buffer, byteOffset }: Buffer) => ({ buffer, byteOffset });
  const before = placeOf(batch.frame());
  batch.failures = failures;
  batch.succeed(0);
  const after = placeOf(frames.take(5_000));
  // Small buffers may share one piece of memory.
  expect(after.buffer === before.buffer && after.byteOffset === before.byteOffset).toBe(isUsedAgain);
});
