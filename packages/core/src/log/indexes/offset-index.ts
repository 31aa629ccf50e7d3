/**
 * A sparse offset index: for some batches of a segment, where they begin. Kafka's OffsetIndex.
 *
 * Bytes of a `.index` file (big-endian):
 *    0  4  magic `MKI1`
 *    4  4  CRC-32 (zlib's) of everything after it
 *    8  4  u32 indexed bytes: how much of the segment the entries speak for
 *   12  4  u32 number of entries
 *   16  8  for each entry: u32 relative offset (base offset of the batch - base offset of the segment), u32 position
 *
 * Invariants: entries rise strictly in both numbers; none stands for position 0, where the first batch begins anyway.
 * Never: trusted. The CRC catches damage, and whoever uses an entry compares it with the batch that lies there.
 */
import { crc32 } from "node:zlib";
import { assert } from "../../assert.ts";

const MAGIC = 0x4d4b4931;
const HEADER_BYTES = 16;
const ENTRY_BYTES = 8;
const CRC_POSITION = 4;
const COVERED_POSITION = 8;
const ENTRIES_MIN = 16;
export const UINT32_MAX = 0xffff_ffff;

export interface IndexEntry {
  readonly relativeOffset: number;
  readonly position: number;
}

/** Where a search begins that finds no entry. */
const START: IndexEntry = { relativeOffset: 0, position: 0 };

/** Most segments have nothing in memory, and there are many. */
const NO_NUMBERS = new Uint32Array();

/** What a `.index` file says, or why it says nothing. */
export type DecodedIndex =
  | { readonly index: OffsetIndex; readonly indexedBytes: number }
  | { readonly problem: string };

/** Where a batch is said to begin. */
export interface IndexHit {
  readonly offset: number;
  readonly position: number;
}

export class OffsetIndex {
  /** Relative offset and position by turns; grows by doubling. */
  #numbers: Uint32Array;
  #entries = 0;

  constructor(capacity = 0) {
    this.#numbers = capacity === 0 ? NO_NUMBERS : new Uint32Array(2 * capacity);
  }

  get entries(): number {
    return this.#entries;
  }

  /** What they take of the memory. */
  get bytes(): number {
    return this.#numbers.byteLength;
  }

  /** `null` when there is none. */
  get first(): IndexEntry | null {
    return this.#entries === 0 ? null : this.#at(0);
  }

  /** The entry with the largest position, or position 0. */
  get last(): IndexEntry {
    return this.#at(this.#entries - 1);
  }

  /** All entries, rising. */
  list(): IndexEntry[] {
    return Array.from({ length: this.#entries }, (_none, entry) => this.#at(entry));
  }

  add({ relativeOffset, position }: IndexEntry): void {
    const { last } = this;
    assert(
      relativeOffset > last.relativeOffset && position > last.position && position <= UINT32_MAX,
      () =>
        `index entry ${relativeOffset} at ${position} cannot follow ${last.relativeOffset} at ${last.position}`,
    );
    if (2 * this.#entries === this.#numbers.length) this.#grow();
    this.#numbers[2 * this.#entries] = relativeOffset;
    this.#numbers[2 * this.#entries + 1] = position;
    this.#entries++;
  }

  /** The last entry at or before `relativeOffset`; the segment's first batch when there is none. */
  lookup(relativeOffset: number): IndexEntry {
    let below = -1;
    let above = this.#entries;
    while (above - below > 1) {
      const middle = (below + above) >>> 1;
      if (this.#relativeOffset(middle) <= relativeOffset) below = middle;
      else above = middle;
    }
    return this.#at(below);
  }

  /** The leading entries that stand below `end` in both numbers. */
  upTo(end: IndexEntry): OffsetIndex {
    let below = -1;
    let above = this.#entries;
    while (above - below > 1) {
      const middle = (below + above) >>> 1;
      const isBelow =
        this.#position(middle) < end.position && this.#relativeOffset(middle) < end.relativeOffset;
      if (isBelow) below = middle;
      else above = middle;
    }
    const leading = new OffsetIndex(above);
    leading.#numbers.set(this.#numbers.subarray(0, 2 * above));
    leading.#entries = above;
    return leading;
  }

  /** The trailing entries that stand above `end` in both numbers. */
  after(end: IndexEntry): OffsetIndex {
    const trailing = new OffsetIndex();
    for (let entry = 0; entry < this.#entries; entry++) {
      if (this.#position(entry) > end.position && this.#relativeOffset(entry) > end.relativeOffset)
        trailing.add(this.#at(entry));
    }
    return trailing;
  }

  /** Takes the entries of `later`, which all lie behind its own. */
  append(later: OffsetIndex): void {
    for (let entry = 0; entry < later.entries; entry++) this.add(later.#at(entry));
  }

  encode(indexedBytes: number): Buffer {
    const bytes = Buffer.allocUnsafe(HEADER_BYTES + ENTRY_BYTES * this.#entries);
    bytes.writeUInt32BE(MAGIC, 0);
    bytes.writeUInt32BE(indexedBytes, COVERED_POSITION);
    bytes.writeUInt32BE(this.#entries, COVERED_POSITION + 4);
    for (let number = 0; number < 2 * this.#entries; number++) {
      bytes.writeUInt32BE(this.#numbers[number] ?? 0, HEADER_BYTES + 4 * number);
    }
    bytes.writeUInt32BE(crc32(bytes.subarray(COVERED_POSITION)), CRC_POSITION);
    return bytes;
  }

  static decode(bytes: Buffer): DecodedIndex {
    if (bytes.length < HEADER_BYTES) return { problem: `it has ${bytes.length} bytes` };
    if (bytes.readUInt32BE(0) !== MAGIC) return { problem: "it does not begin like an offset index" };
    const entries = bytes.readUInt32BE(COVERED_POSITION + 4);
    const expected = HEADER_BYTES + ENTRY_BYTES * entries;
    if (bytes.length !== expected)
      return { problem: `it has ${bytes.length} bytes, expected ${expected} for ${entries} entries` };
    if (crc32(bytes.subarray(COVERED_POSITION)) !== bytes.readUInt32BE(CRC_POSITION))
      return { problem: "its CRC is not that of its bytes" };
    const index = new OffsetIndex(entries);
    const numbers = index.#numbers;
    for (let number = 0; number < 2 * entries; number++) {
      // By turns of both kinds, so that the one before of its kind is two before; before the first stands 0.
      const before = number < 2 ? 0 : (numbers[number - 2] ?? 0);
      numbers[number] = bytes.readUInt32BE(HEADER_BYTES + 4 * number);
      if ((numbers[number] ?? 0) <= before) return { problem: `entry ${number >>> 1} does not rise` };
    }
    index.#entries = entries;
    return { index, indexedBytes: bytes.readUInt32BE(COVERED_POSITION) };
  }

  #at(entry: number): IndexEntry {
    if (entry < 0) return START;
    return { relativeOffset: this.#relativeOffset(entry), position: this.#position(entry) };
  }

  #relativeOffset(entry: number): number {
    return this.#numbers[2 * entry] ?? 0;
  }

  #position(entry: number): number {
    return this.#numbers[2 * entry + 1] ?? 0;
  }

  #grow(): void {
    const grown = new Uint32Array(Math.max(2 * ENTRIES_MIN, 2 * this.#numbers.length));
    grown.set(this.#numbers);
    this.#numbers = grown;
  }
}
