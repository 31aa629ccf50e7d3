/**
 * The aborted transactions whose markers lie in one segment, by the offsets of the markers. Kafka: TransactionIndex (KIP-98).
 *
 * Bytes of a `.txnindex` file (big-endian):
 *    0  4  magic `MKX1`
 *    4  4  CRC-32 (zlib's) of everything after it
 *    8  4  u32 indexed bytes: how much of the segment the entries speak for
 *   12  4  u32 CRC of the frame of the last entry's marker
 *   16  4  u32 number of entries
 *   20 24  for each entry: i64 producer id, i64 first offset, u32 relative last offset (that of the marker - base offset of the
 *          segment), u32 position of the marker
 *
 * Invariants: entries rise in their last offsets and positions; a first offset lies below its last one.
 */
import { crc32 } from "node:zlib";
import { type BatchHeader, readInt64, readMarker, storedRecordsProblem, writeInt64 } from "@minikafka/record";
import { assert } from "../../assert.ts";

const MAGIC = 0x4d4b5831;
const HEADER_BYTES = 20;
const ENTRY_BYTES = 24;
const CRC_POSITION = 4;
const COVERED_POSITION = 8;
const COLUMNS = 5;
const ENTRIES_MIN = 4;
const NO_NUMBERS = new Float64Array();

export interface AbortedTransaction {
  readonly producerId: number;
  /** Of its first record. */
  readonly firstOffset: number;
  /** Of its abort marker. */
  readonly lastOffset: number;
}

export interface AbortedEntry extends AbortedTransaction {
  /** Where the marker lies in the segment. */
  readonly position: number;
}

/** What is known of a segment's aborted transactions without its index. */
export interface AbortedExtent {
  /** How many abort markers lie in the segment. */
  readonly count: number;
  /** The smallest first offset; it may lie in an earlier segment. */
  readonly firstOffset: number;
}

/** How much of a segment a file speaks for. The frame of the last marker tells one segment from another (KIP-101). */
export interface AbortedCoverage {
  readonly indexedBytes: number;
  readonly lastCrc: number;
}

/** What a `.txnindex` file says, or why it says nothing. */
export type DecodedAborted =
  | { readonly index: AbortedIndex; readonly coverage: AbortedCoverage }
  | { readonly problem: string };

/** The transaction that a whole frame aborts; `null` when it is no abort marker that says where its transaction began. */
export function abortedBy(frame: Buffer, header: BatchHeader): AbortedTransaction | null {
  const { control, codec, producerId, baseOffset: lastOffset } = header;
  if (control !== "abort" || codec !== "none" || storedRecordsProblem(frame) !== null) return null;
  const firstOffset = readMarker(frame)?.firstOffset ?? -1;
  return firstOffset >= 0 && firstOffset < lastOffset ? { producerId, firstOffset, lastOffset } : null;
}

/** `null` for none. */
export function extentOf(transactions: Iterable<AbortedTransaction>): AbortedExtent | null {
  let extent: AbortedExtent | null = null;
  for (const transaction of transactions) extent = extended(extent, transaction);
  return extent;
}

export function extended(extent: AbortedExtent | null, { firstOffset }: AbortedTransaction): AbortedExtent {
  if (extent === null) return { count: 1, firstOffset };
  return { count: extent.count + 1, firstOffset: Math.min(extent.firstOffset, firstOffset) };
}

export class AbortedIndex {
  /**
   * By turns, growing by doubling: producer id, first and last offset, position, and a first offset that neither the entry's own
   * nor that of any behind it is below, by which a search knows where it may end.
   */
  #numbers = NO_NUMBERS;
  #entries = 0;

  get entries(): number {
    return this.#entries;
  }

  /** What they take of the memory. */
  get bytes(): number {
    return this.#numbers.byteLength;
  }

  get first(): AbortedEntry | null {
    return this.#entries === 0 ? null : this.#at(0);
  }

  get last(): AbortedEntry | null {
    return this.#entries === 0 ? null : this.#at(this.#entries - 1);
  }

  add({ producerId, firstOffset, lastOffset, position }: AbortedEntry): void {
    const above = this.#entries === 0 ? -1 : this.#lastOffset(this.#entries - 1);
    assert(
      lastOffset > above && firstOffset < lastOffset,
      `a marker at ${lastOffset} cannot follow ${above}`,
    );
    const at = COLUMNS * this.#entries;
    if (at === this.#numbers.length) this.#grow();
    this.#numbers.set([producerId, firstOffset, lastOffset, position, firstOffset], at);
    for (let entry = this.#entries - 1; entry >= 0 && this.#leastFirst(entry) > firstOffset; entry--)
      this.#numbers[COLUMNS * entry + 4] = firstOffset;
    this.#entries++;
  }

  /** Those with an offset from `fromOffset` up to `endOffset`, without it, in the order of the markers. */
  *overlapping(fromOffset: number, endOffset: number): Generator<AbortedEntry> {
    for (let entry = this.#firstFrom(fromOffset); entry < this.#entries; entry++) {
      if (this.#leastFirst(entry) >= endOffset) return;
      const found = this.#at(entry);
      if (found.firstOffset < endOffset) yield found;
    }
  }

  /** Those whose marker lies at `fromOffset` or behind it, in the order of the markers. */
  *from(fromOffset: number): Generator<AbortedEntry> {
    for (let entry = this.#firstFrom(fromOffset); entry < this.#entries; entry++) yield this.#at(entry);
  }

  /** Those whose marker lies below `endOffset`. */
  below(endOffset: number): AbortedIndex {
    const leading = new AbortedIndex();
    leading.#entries = this.#firstFrom(endOffset);
    leading.#numbers = this.#numbers.slice(0, COLUMNS * leading.#entries);
    return leading;
  }

  /** Takes the entries of `later`, which all lie behind its own. */
  append(later: AbortedIndex): void {
    for (let entry = 0; entry < later.entries; entry++) this.add(later.#at(entry));
  }

  encode(baseOffset: number, { indexedBytes, lastCrc }: AbortedCoverage): Buffer {
    const bytes = Buffer.allocUnsafe(HEADER_BYTES + ENTRY_BYTES * this.#entries);
    bytes.writeUInt32BE(MAGIC, 0);
    bytes.writeUInt32BE(indexedBytes, COVERED_POSITION);
    bytes.writeUInt32BE(lastCrc, COVERED_POSITION + 4);
    bytes.writeUInt32BE(this.#entries, COVERED_POSITION + 8);
    let at = HEADER_BYTES;
    for (const { producerId, firstOffset, lastOffset, position } of this.from(0)) {
      writeInt64(bytes, at, producerId);
      writeInt64(bytes, at + 8, firstOffset);
      bytes.writeUInt32BE(lastOffset - baseOffset, at + 16);
      bytes.writeUInt32BE(position, at + 20);
      at += ENTRY_BYTES;
    }
    bytes.writeUInt32BE(crc32(bytes.subarray(COVERED_POSITION)), CRC_POSITION);
    return bytes;
  }

  static decode(bytes: Buffer, baseOffset: number): DecodedAborted {
    if (bytes.length < HEADER_BYTES) return { problem: `it has ${bytes.length} bytes` };
    if (bytes.readUInt32BE(0) !== MAGIC)
      return { problem: "it does not begin like an index of aborted transactions" };
    const entries = bytes.readUInt32BE(COVERED_POSITION + 8);
    const expected = HEADER_BYTES + ENTRY_BYTES * entries;
    if (bytes.length !== expected)
      return { problem: `it has ${bytes.length} bytes, expected ${expected} for ${entries} entries` };
    if (crc32(bytes.subarray(COVERED_POSITION)) !== bytes.readUInt32BE(CRC_POSITION))
      return { problem: "its CRC is not that of its bytes" };
    const index = new AbortedIndex();
    for (let at = HEADER_BYTES; at < bytes.length; at += ENTRY_BYTES) {
      const entry = {
        producerId: readInt64(bytes, at),
        firstOffset: readInt64(bytes, at + 8),
        lastOffset: baseOffset + bytes.readUInt32BE(at + 16),
        position: bytes.readUInt32BE(at + 20),
      };
      if (!follows(entry, index.last)) return { problem: `entry ${index.entries} does not rise` };
      index.add(entry);
    }
    const indexedBytes = bytes.readUInt32BE(COVERED_POSITION);
    return { index, coverage: { indexedBytes, lastCrc: bytes.readUInt32BE(COVERED_POSITION + 4) } };
  }

  /** The first entry whose marker lies at `offset` or behind it. */
  #firstFrom(offset: number): number {
    let below = -1;
    let above = this.#entries;
    while (above - below > 1) {
      const middle = (below + above) >>> 1;
      if (this.#lastOffset(middle) < offset) below = middle;
      else above = middle;
    }
    return above;
  }

  #at(entry: number): AbortedEntry {
    const at = COLUMNS * entry;
    const [producerId = 0, firstOffset = 0, lastOffset = 0, position = 0] = this.#numbers.subarray(
      at,
      at + COLUMNS,
    );
    return { producerId, firstOffset, lastOffset, position };
  }

  #leastFirst(entry: number): number {
    return this.#numbers[COLUMNS * entry + 4] ?? 0;
  }

  #lastOffset(entry: number): number {
    return this.#numbers[COLUMNS * entry + 2] ?? 0;
  }

  #grow(): void {
    const grown = new Float64Array(Math.max(COLUMNS * ENTRIES_MIN, 2 * this.#numbers.length));
    grown.set(this.#numbers);
    this.#numbers = grown;
  }
}

function follows({ firstOffset, lastOffset, position }: AbortedEntry, last: AbortedEntry | null): boolean {
  const isSpan = firstOffset >= 0 && firstOffset < lastOffset;
  return isSpan && (last === null || (lastOffset > last.lastOffset && position > last.position));
}
