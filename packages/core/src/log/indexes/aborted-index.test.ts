import { crc32 } from "node:zlib";
import { assignBatch, encodeBatch, encodeMarker, readBatchHeader, writeInt64 } from "@minikafka/record";
import { expect, test } from "vitest";
import { SeededRandom } from "../../env/random.ts";
import { type AbortedEntry, AbortedIndex, abortedBy, extentOf } from "./aborted-index.ts";

const ENTRIES: readonly AbortedEntry[] = [
  { producerId: 7, firstOffset: 90, lastOffset: 105, position: 300 },
  { producerId: 8, firstOffset: 101, lastOffset: 110, position: 700 },
  { producerId: 2 ** 52, firstOffset: 3, lastOffset: 111, position: 790 },
];
const COVERAGE = { indexedBytes: 4000, lastCrc: 0xfedc_ba98 };

function indexOf(entries: readonly AbortedEntry[]): AbortedIndex {
  const index = new AbortedIndex();
  for (const entry of entries) index.add(entry);
  return index;
}

test("what was written is read, whatever the numbers are", () => {
  const many = Array.from({ length: 500 }, (_none, n) => ({
    producerId: n % 3,
    firstOffset: 100 + n,
    lastOffset: 1000 + 2 * n,
    position: 90 * n,
  }));
  for (const entries of [ENTRIES, many]) {
    const bytes = indexOf(entries).encode(100, COVERAGE);
    expect(bytes.length).toBe(20 + 24 * entries.length);
    const decoded = AbortedIndex.decode(bytes, 100);
    if ("problem" in decoded) throw new Error(decoded.problem);
    expect([...decoded.index.from(0)]).toEqual(entries);
    expect(decoded.coverage).toEqual(COVERAGE);
  }
});

test("entries are found by where their markers lie", () => {
  const index = indexOf(ENTRIES);
  const from = (offset: number) => [...index.from(offset)].map(({ lastOffset }) => lastOffset);
  expect([0, 105, 106, 110, 111, 112].map(from)).toEqual([
    [105, 110, 111],
    [105, 110, 111],
    [110, 111],
    [110, 111],
    [111],
    [],
  ]);
  expect([...index.below(110).from(0)]).toEqual(ENTRIES.slice(0, 1));
  const joined = index.below(110);
  joined.append(indexOf(ENTRIES.slice(1)));
  expect([...joined.from(0)]).toEqual(ENTRIES);
  expect(joined.last).toEqual(ENTRIES[2]);
});

test("those that overlap a range are found, however many lie behind it, also when the last ones were taken away", () => {
  const seed = 5;
  const random = new SeededRandom(seed);
  for (let history = 0; history < 50; history++) {
    const entries = Array.from({ length: 1 + random.below(60) }, (_none, n) => {
      const lastOffset = 10 + 3 * n;
      // Most are short, and some reach far back.
      const firstOffset = Math.max(0, lastOffset - 1 - random.below(random.below(5) === 0 ? 150 : 6));
      return { producerId: n, firstOffset, lastOffset, position: 90 * n };
    });
    const whole = indexOf(entries);
    const cut = 10 + 3 * random.below(60);
    for (const [index, known] of [
      [whole, entries],
      [whole.below(cut), entries.filter(({ lastOffset }) => lastOffset < cut)],
    ] as const) {
      for (let query = 0; query < 30; query++) {
        const from = random.below(200);
        const end = from + random.below(20);
        const expected = known.filter(
          ({ firstOffset, lastOffset }) => lastOffset >= from && firstOffset < end,
        );
        expect([...index.overlapping(from, end)], `seed ${seed}, ${from} to ${end}`).toEqual(expected);
      }
    }
  }
});

test("a segment's extent is how many there are, and where the first of them began", () => {
  expect(extentOf(ENTRIES)).toEqual({ count: 3, firstOffset: 3 });
  expect(extentOf([])).toBeNull();
});

test("no flipped bit goes unseen", () => {
  const bytes = indexOf(ENTRIES).encode(100, COVERAGE);
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(bit >>> 3) ^ (1 << (bit & 7)), bit >>> 3);
    expect(AbortedIndex.decode(damaged, 100), `bit ${bit}`).toHaveProperty("problem");
  }
  for (let length = 0; length < bytes.length; length++)
    expect(AbortedIndex.decode(bytes.subarray(0, length), 100)).toHaveProperty("problem");
});

test.each([
  ["a marker before the last", (bytes: Buffer) => bytes.writeUInt32BE(5, 44 + 16)],
  ["a position before the last", (bytes: Buffer) => bytes.writeUInt32BE(300, 44 + 20)],
  ["a first offset behind the marker", (bytes: Buffer) => writeInt64(bytes, 44 + 8, 110)],
  ["a negative first offset", (bytes: Buffer) => writeInt64(bytes, 44 + 8, -1)],
])("an entry with %s is refused, though its CRC is right", (_what, spoil) => {
  const bytes = indexOf(ENTRIES).encode(100, COVERAGE);
  spoil(bytes);
  bytes.writeUInt32BE(crc32(bytes.subarray(8)), 4);
  expect(AbortedIndex.decode(bytes, 100)).toEqual({ problem: "entry 1 does not rise" });
});

test("a marker tells which transaction it aborts; nothing else does", () => {
  const marker = { producerId: 7, producerEpoch: 1, coordinatorEpoch: 3, timestampMs: 5 } as const;
  const told = (frame: Buffer, baseOffset = 50) => {
    assignBatch(frame, { baseOffset, leaderEpoch: 0 });
    return abortedBy(frame, readBatchHeader(frame));
  };
  const abort = { ...marker, control: "abort", firstOffset: 40 } as const;
  expect(told(encodeMarker(abort))).toEqual({ producerId: 7, firstOffset: 40, lastOffset: 50 });
  expect(told(encodeMarker({ ...abort, control: "commit" }))).toBeNull();
  expect(told(encodeMarker({ ...abort, firstOffset: 50 }))).toBeNull();
  const records = [{ key: null, value: Buffer.from("x"), timestampMs: 5, headers: [] }];
  expect(told(encodeBatch({ records, producerId: 7, producerEpoch: 0, baseSequence: 0 }))).toBeNull();
});
