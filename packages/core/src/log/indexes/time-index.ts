/**
 * A sparse time index: for some batches of a segment, the latest timestamp so far, which they reached. Kafka's TimeIndex
 * (KIP-33).
 *
 * Bytes of a `.timeindex` file (big-endian):
 *    0  4  magic `MKT1`
 *    4  4  CRC-32 (zlib's) of everything after it
 *    8  4  u32 indexed bytes: how much of the segment the entries speak for
 *   12  4  u32 interval: see the invariant
 *   16  4  u32 position of the last batch that they speak for
 *   20  4  u32 CRC of that batch, which tells this segment from another and from what it was before a truncation
 *   24  4  u32 number of entries
 *   28 12  for each entry: i64 timestamp, u32 relative offset (base offset of the batch - base offset of the segment)
 *
 * Invariants: entries rise strictly in both numbers; each stands for a batch that is later than all before it, and has its
 * latest timestamp. A batch that is later than all before it and has no entry begins less than the interval behind one that
 * has, or behind the beginning of the segment. So whoever seeks a time looks through one interval at most.
 * Never: trusted. The CRC catches damage, and whoever uses an entry compares it with the batch that lies there.
 */
import { crc32 } from "node:zlib";
import { readInt64, writeInt64 } from "@minikafka/record";
import { assert } from "../../assert.ts";

const MAGIC = 0x4d4b5431;
const HEADER_BYTES = 28;
const ENTRY_BYTES = 12;
const CRC_POSITION = 4;
const COVERED_POSITION = 8;
const ENTRIES_MIN = 16;

export interface TimeEntry {
  readonly timestampMs: number;
  readonly relativeOffset: number;
}

/** What the entries of a file speak for. */
export interface TimeCoverage {
  readonly indexedBytes: number;
  readonly intervalBytes: number;
  readonly lastPosition: number;
  readonly lastCrc: number;
}

/** Most segments have nothing in memory, and there are many. */
const [NO_TIMESTAMPS, NO_OFFSETS] = [new Float64Array(), new Uint32Array()];

/** What a `.timeindex` file says, or why it says nothing. */
export type DecodedTimeIndex =
  | { readonly index: TimeIndex; readonly coverage: TimeCoverage }
  | { readonly problem: string };

export class TimeIndex {
  #timestamps = NO_TIMESTAMPS;
  #relativeOffsets = NO_OFFSETS;
  #entries = 0;

  get entries(): number {
    return this.#entries;
  }

  /** What they take of the memory. */
  get bytes(): number {
    return this.#timestamps.byteLength + this.#relativeOffsets.byteLength;
  }

  /** `null` when there is none. */
  get last(): TimeEntry | null {
    return this.at(this.#entries - 1);
  }

  /** The n-th entry, or `null`. */
  at(entry: number): TimeEntry | null {
    if (entry < 0 || entry >= this.#entries) return null;
    return {
      timestampMs: this.#timestamps[entry] ?? 0,
      relativeOffset: this.#relativeOffsets[entry] ?? 0,
    };
  }

  /** All entries, rising. */
  list(): TimeEntry[] {
    return Array.from({ length: this.#entries }, (_none, entry) => this.at(entry) as TimeEntry);
  }

  add(entry: TimeEntry): void {
    const { last } = this;
    assert(
      rises(last, entry),
      () =>
        `time entry ${entry.timestampMs} at ${entry.relativeOffset} cannot follow ${last?.timestampMs} at ${last?.relativeOffset}`,
    );
    if (this.#entries === this.#timestamps.length) this.#grow();
    this.#timestamps[this.#entries] = entry.timestampMs;
    this.#relativeOffsets[this.#entries] = entry.relativeOffset;
    this.#entries++;
  }

  /** The number of the first entry that is as late as `timestampMs`; the number of entries when none is. */
  search(timestampMs: number): number {
    let below = -1;
    let above = this.#entries;
    while (above - below > 1) {
      const middle = (below + above) >>> 1;
      if ((this.#timestamps[middle] ?? 0) < timestampMs) below = middle;
      else above = middle;
    }
    return above;
  }

  /** The leading entries of batches that begin below `relativeOffset`. */
  upTo(relativeOffset: number): TimeIndex {
    let below = -1;
    let above = this.#entries;
    while (above - below > 1) {
      const middle = (below + above) >>> 1;
      if ((this.#relativeOffsets[middle] ?? 0) < relativeOffset) below = middle;
      else above = middle;
    }
    const leading = new TimeIndex();
    leading.#timestamps = this.#timestamps.slice(0, above);
    leading.#relativeOffsets = this.#relativeOffsets.slice(0, above);
    leading.#entries = above;
    return leading;
  }

  /** Takes the entries of `later`, which all lie behind its own. */
  append(later: TimeIndex): void {
    for (let entry = 0; entry < later.entries; entry++) this.add(later.at(entry) as TimeEntry);
  }

  encode({ indexedBytes, intervalBytes, lastPosition, lastCrc }: TimeCoverage): Buffer {
    const bytes = Buffer.allocUnsafe(HEADER_BYTES + ENTRY_BYTES * this.#entries);
    bytes.writeUInt32BE(MAGIC, 0);
    const numbers = [indexedBytes, intervalBytes, lastPosition, lastCrc, this.#entries];
    numbers.forEach((number, place) => {
      bytes.writeUInt32BE(number, COVERED_POSITION + 4 * place);
    });
    for (let entry = 0; entry < this.#entries; entry++) {
      const at = HEADER_BYTES + ENTRY_BYTES * entry;
      writeInt64(bytes, at, this.#timestamps[entry] ?? 0);
      bytes.writeUInt32BE(this.#relativeOffsets[entry] ?? 0, at + 8);
    }
    bytes.writeUInt32BE(crc32(bytes.subarray(COVERED_POSITION)), CRC_POSITION);
    return bytes;
  }

  static decode(bytes: Buffer): DecodedTimeIndex {
    if (bytes.length < HEADER_BYTES) return { problem: `it has ${bytes.length} bytes` };
    if (bytes.readUInt32BE(0) !== MAGIC) return { problem: "it does not begin like a time index" };
    const [indexedBytes = 0, intervalBytes = 0, lastPosition = 0, lastCrc = 0, entries = 0] = Array.from(
      { length: 5 },
      (_none, place) => bytes.readUInt32BE(COVERED_POSITION + 4 * place),
    );
    const expected = HEADER_BYTES + ENTRY_BYTES * entries;
    if (bytes.length !== expected)
      return { problem: `it has ${bytes.length} bytes, expected ${expected} for ${entries} entries` };
    if (crc32(bytes.subarray(COVERED_POSITION)) !== bytes.readUInt32BE(CRC_POSITION))
      return { problem: "its CRC is not that of its bytes" };
    const index = new TimeIndex();
    for (let number = 0; number < entries; number++) {
      const at = HEADER_BYTES + ENTRY_BYTES * number;
      const entry = { timestampMs: readInt64(bytes, at), relativeOffset: bytes.readUInt32BE(at + 8) };
      if (!rises(index.last, entry)) return { problem: `entry ${number} does not rise` };
      index.add(entry);
    }
    return { index, coverage: { indexedBytes, intervalBytes, lastPosition, lastCrc } };
  }

  #grow(): void {
    const capacity = Math.max(ENTRIES_MIN, 2 * this.#entries);
    const timestamps = new Float64Array(capacity);
    const relativeOffsets = new Uint32Array(capacity);
    timestamps.set(this.#timestamps);
    relativeOffsets.set(this.#relativeOffsets);
    this.#timestamps = timestamps;
    this.#relativeOffsets = relativeOffsets;
  }
}

function rises(last: TimeEntry | null, { timestampMs, relativeOffset }: TimeEntry): boolean {
  if (!Number.isSafeInteger(timestampMs) || timestampMs < 0) return false;
  return last === null || (timestampMs > last.timestampMs && relativeOffset > last.relativeOffset);
}
