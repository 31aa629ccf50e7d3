import { assignBatch, type BatchHeader, emptiedFrame, encodeBatch, readBatchHeader } from "@minikafka/record";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LIMITS } from "../../limits.ts";
import { expectedSequence, ProducerState } from "./producer-state.ts";

interface Written {
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly records?: number;
  readonly baseOffset?: number;
}

function frame({
  producerId = 7,
  producerEpoch = 0,
  baseSequence = 0,
  records = 1,
  baseOffset = 0,
}: Written) {
  const batch = encodeBatch({
    records: Array.from({ length: records }, (_, n) => ({
      key: null,
      value: Buffer.from(`${baseSequence + n}`),
      timestampMs: 5,
      headers: [],
    })),
    producerId,
    producerEpoch,
    baseSequence,
  });
  assignBatch(batch, { baseOffset, leaderEpoch: 0 });
  return batch;
}

const header = (written: Written): BatchHeader => readBatchHeader(frame(written));

test("a producer's epoch and its last five batches are known, in the order of the log", () => {
  const state = new ProducerState();
  for (let n = 0; n < 7; n++)
    state.note(header({ baseSequence: n * 2, records: 2, baseOffset: n * 10 }), 1000 + n);
  expect(state.get(7)).toMatchObject({ producerEpoch: 0, lastSeenMs: 1006 });
  expect(state.get(7)?.batches.map(({ baseSequence, baseOffset }) => [baseSequence, baseOffset])).toEqual([
    [4, 20],
    [6, 30],
    [8, 40],
    [10, 50],
    [12, 60],
  ]);
  expect(state.get(8)).toBeUndefined();
});

test("who has no id is not noted", () => {
  const state = new ProducerState();
  state.note(header({ producerId: -1, producerEpoch: -1, baseSequence: -1 }), 0);
  expect(state.size).toBe(0);
});

test("a newer epoch takes the place of what was known, an older one changes nothing", () => {
  const state = new ProducerState();
  state.note(header({ producerEpoch: 3, baseSequence: 9 }), 0);
  state.note(header({ producerEpoch: 4, baseSequence: 0, baseOffset: 1 }), 1);
  state.note(header({ producerEpoch: 3, baseSequence: 10, baseOffset: 2 }), 2);
  expect(state.get(7)).toMatchObject({ producerEpoch: 4, lastSeenMs: 1, batches: [{ baseSequence: 0 }] });
});

test("a marker of a newer epoch leaves no sequence, so that the next one is 0", () => {
  const state = new ProducerState();
  state.note(header({ baseSequence: 9 }), 0);
  const marker: BatchHeader = { ...header({ producerEpoch: 1, baseSequence: -1 }), control: "commit" };
  state.note(marker, 1);
  const entry = state.get(7);
  expect(entry).toMatchObject({ producerEpoch: 1, batches: [] });
  expect(entry === undefined ? null : expectedSequence(entry)).toBe(0);
});

test("a batch that compaction has emptied keeps its sequences, and its content is not known", () => {
  const state = new ProducerState();
  state.note(readBatchHeader(emptiedFrame(frame({ baseSequence: 4, records: 3 }))), 0);
  const entry = state.get(7);
  expect(entry?.batches).toEqual([
    { baseSequence: 4, baseOffset: 0, nextOffset: 3, contentCrc: null, appendTimeMs: null },
  ]);
  expect(entry === undefined ? null : expectedSequence(entry)).toBe(7);
});

test("idle producers are forgotten, the others stay", () => {
  const state = new ProducerState();
  for (const [producerId, nowMs] of [
    [1, 100],
    [2, 200],
    [3, 300],
  ] as const)
    state.note(header({ producerId }), nowMs);
  expect(state.forgetIdle(200).map(({ producerId }) => producerId)).toEqual([1, 2]);
  expect(state.forgetIdle(200)).toEqual([]);
  expect(state.entries().map(({ producerId }) => producerId)).toEqual([3]);
});

test("beyond the limit the producer that was silent for longest goes, and is named", () => {
  const state = new ProducerState();
  const max = LIMITS.producersPerPartitionMax;
  const of = (producerId: number): BatchHeader => ({ ...header({}), producerId });
  for (let producerId = 0; producerId < max; producerId++) expect(state.note(of(producerId), 0)).toBeNull();
  expect(state.note(of(0), 1)).toBeNull();
  expect(state.note(of(max), 1)).toMatchObject({ producerId: 1 });
  expect([state.size, state.get(0)?.producerId, state.get(1)]).toEqual([max, 0, undefined]);
});

test("what is noted again from the entries at any moment and the headers behind it is the same", () => {
  const written = fc.array(
    fc.record({
      producerId: fc.integer({ min: -1, max: 3 }),
      producerEpoch: fc.integer({ min: 0, max: 3 }),
      records: fc.integer({ min: 1, max: 3 }),
    }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(written, fc.nat(), (batches, chosen) => {
      const at = chosen % (batches.length + 1);
      const headers = batches.map((batch, n) => header({ ...batch, baseSequence: n * 3, baseOffset: n * 3 }));
      const whole = new ProducerState();
      for (const each of headers) whole.note(each, 5);
      const first = new ProducerState();
      for (const each of headers.slice(0, at)) first.note(each, 5);
      const second = new ProducerState(first.entries());
      for (const each of headers.slice(at)) second.note(each, 5);
      expect(second.entries()).toEqual(whole.entries());
    }),
  );
});
