/** What a fetch shows of batches with transactions among them, without a broker. */
import { assignBatch, encodeBatch, encodeMarker } from "@minikafka/record";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AbortedRange, shownRecords } from "./shown-records.ts";

const EVERYTHING = Number.MAX_SAFE_INTEGER;

type Part =
  | { readonly kind: "plain" | "data"; readonly producerId: number; readonly count: number }
  | { readonly kind: "commit" | "abort"; readonly producerId: number };

const plain = (count = 1, producerId = -1): Part => ({ kind: "plain", producerId, count });
const data = (producerId: number, count = 1): Part => ({ kind: "data", producerId, count });
const commit = (producerId: number): Part => ({ kind: "commit", producerId });
const abort = (producerId: number): Part => ({ kind: "abort", producerId });

interface Built {
  readonly batches: Buffer;
  readonly aborted: readonly AbortedRange[];
  /** The offsets that a read_committed reader is to see, by the definition: plain, or of a transaction that committed. */
  readonly committed: readonly number[];
  /** Those that a read_uncommitted reader is to see. */
  readonly data: readonly number[];
}

/** Lays the parts out as a log would, and keeps book of whose record is what. */
function built(parts: readonly Part[]): Built {
  const frames: Buffer[] = [];
  const aborted: AbortedRange[] = [];
  const open = new Map<number, number[]>();
  const committed: number[] = [];
  const all: number[] = [];
  let next = 0;
  for (const part of parts) {
    const frame = frameOf(part, next);
    assignBatch(frame, { baseOffset: next, leaderEpoch: 0 });
    frames.push(frame);
    if (part.kind === "plain" || part.kind === "data") {
      const offsets = Array.from({ length: part.count }, (_none, index) => next + index);
      all.push(...offsets);
      if (part.kind === "plain") committed.push(...offsets);
      else open.set(part.producerId, [...(open.get(part.producerId) ?? []), ...offsets]);
      next += part.count;
      continue;
    }
    const ended = open.get(part.producerId) ?? [];
    open.delete(part.producerId);
    if (part.kind === "commit") committed.push(...ended);
    else if (ended[0] !== undefined)
      aborted.push({ producerId: part.producerId, firstOffset: ended[0], lastOffset: next });
    next += 1;
  }
  const ascending = (offsets: number[]) => offsets.sort((left, right) => left - right);
  return {
    batches: Buffer.concat(frames),
    aborted: aborted.sort((left, right) => left.firstOffset - right.firstOffset),
    committed: ascending(committed),
    data: all,
  };
}

function frameOf(part: Part, offset: number): Buffer {
  if (!("count" in part)) {
    const who = { producerId: part.producerId, producerEpoch: 1, coordinatorEpoch: 0 };
    return encodeMarker({ control: part.kind, ...who, firstOffset: offset, timestampMs: 1 });
  }
  const { producerId, count, kind } = part;
  const records = Array.from({ length: count }, () => ({
    key: null,
    value: Buffer.from("v"),
    timestampMs: 1,
    headers: [],
  }));
  const producer = producerId < 0 ? {} : { producerId, producerEpoch: 0, baseSequence: 0 };
  return encodeBatch({ records, ...producer, transactional: kind === "data" });
}

/** As many records as that, whatever they unpack to. */
const upTo = (recordsMax: number) => ({ recordsMax, unpackedBytesMax: 1 << 20 });
const offsets = ({ records }: ReturnType<typeof shownRecords>) => records.map(({ offset }) => offset);

test("markers are never shown, whoever reads", () => {
  const { batches, aborted } = built([plain(), data(7, 2), commit(7), data(7), abort(7), plain()]);
  expect(offsets(shownRecords(batches, 0, upTo(EVERYTHING), []))).toEqual([0, 1, 2, 4, 6]);
  expect(offsets(shownRecords(batches, 0, upTo(EVERYTHING), aborted))).toEqual([0, 1, 2, 6]);
});

test("an aborted transaction hides neither the ones before and after of its producer, nor others within", () => {
  const parts = [data(7), commit(7), data(7, 2), plain(), data(8), plain(1, 7), abort(7), data(7), commit(8)];
  const { batches, aborted } = built([...parts, commit(7)]);
  expect(aborted).toEqual([{ producerId: 7, firstOffset: 2, lastOffset: 7 }]);
  expect(offsets(shownRecords(batches, 0, upTo(EVERYTHING), aborted))).toEqual([0, 4, 5, 6, 8]);
});

test("max_records counts what is shown, and what is hidden behind it is passed over", () => {
  const { batches, aborted } = built([data(7, 3), plain(), abort(7), data(7, 2), abort(7), plain(), plain()]);
  const one = shownRecords(batches, 0, upTo(1), aborted);
  expect([offsets(one), one.nextOffset]).toEqual([[3], 8]);
  const two = shownRecords(batches, 0, upTo(2), aborted);
  expect([offsets(two), two.nextOffset]).toEqual([[3, 8], 9]);
  const rest = shownRecords(batches, 9, upTo(5), aborted);
  expect([offsets(rest), rest.nextOffset]).toEqual([[9], null]);
});

test("batches in which nothing is shown are gone through to their end", () => {
  const { batches, aborted } = built([data(7, 3), abort(7)]);
  expect(shownRecords(batches, 0, upTo(1), aborted)).toEqual({
    records: [],
    nextOffset: null,
    unpackedBytes: 0,
  });
  expect(shownRecords(batches, 0, upTo(0), aborted)).toEqual({
    records: [],
    nextOffset: null,
    unpackedBytes: 0,
  });
});

test("read in steps of any size, exactly the committed records come, each once", () => {
  const producerId = fc.integer({ min: 1, max: 3 });
  const part: fc.Arbitrary<Part> = fc.oneof(
    fc.record({ kind: fc.constant("plain" as const), producerId: fc.constant(-1), count: fc.constant(1) }),
    fc.record({ kind: fc.constant("data" as const), producerId, count: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constantFrom("commit" as const, "abort" as const), producerId }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), (parts, recordsMax) => {
      // Every transaction is ended, as below a last stable offset.
      const { batches, aborted, committed, data: all } = built([...parts, ...[1, 2, 3].map(commit)]);
      expect(offsetsInSteps(batches, recordsMax, aborted)).toEqual(committed);
      expect(offsetsInSteps(batches, recordsMax, [])).toEqual(all);
    }),
  );
});

function offsetsInSteps(batches: Buffer, recordsMax: number, aborted: readonly AbortedRange[]): number[] {
  const seen: number[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const shown = shownRecords(batches, offset, upTo(recordsMax), aborted);
    seen.push(...offsets(shown));
    offset = shown.nextOffset;
  }
  return seen;
}
