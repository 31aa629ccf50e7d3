/**
 * What stays of each batch when a log is compacted: the latest record of each key, records without a key, tombstones and
 * markers until their delete horizon. A decision only; compacted-batch.ts of the record package makes the bytes.
 *
 * Compressed batches are unpacked to choose among their records, and packed anew with their codec when they lose some. A batch is
 * kept whole that nothing here can unpack, or that has more in it than a batch may have and would be too large again: it may hide
 * older records of any key, now and in every later pass, so that no tombstone behind it is dropped.
 *
 * Invariants: nothing at or behind the covered end is touched; a tombstone is dropped only in a pass that drops every older
 * record of its key, and where every replica holds it or has dropped it as well; offsets, order and times stay.
 */
import {
  type BatchHeader,
  type Compression,
  emptiedFrame,
  HEADER_BYTES,
  isGap,
  packedFrame,
  RecordCursor,
  TIMESTAMP_MS_MAX,
  thinnedFrame,
} from "@minikafka/record";
import { plainOrNull } from "../frames/unpacked.ts";
import type { KeyOffsetMap } from "./key-offset-map.ts";
import type { ProducerTails } from "./producer-tails.ts";
import type { TransactionWatch } from "./transaction-watch.ts";

export interface RetentionRules {
  /** The latest offsets of the keys of the part that was not clean, up to the covered end. */
  readonly latest: KeyOffsetMap;
  /** The first offset of which nothing was looked at. */
  readonly coveredEnd: number;
  /** See CompactionRequest. */
  readonly copiedEnd: number;
  readonly nowMs: number;
  /** Kafka: delete.retention.ms. */
  readonly deleteRetentionMs: number;
  /** The largest that a batch may be. */
  readonly frameBytesMax: number;
  readonly transactions: TransactionWatch;
  readonly producers: ProducerTails;
  /** Without it compressed batches are kept whole. */
  readonly compression?: Compression | undefined;
  /** Told by how much what was unpacked is larger than what was read. */
  readonly onUnpacked?: (bytes: number) => void;
}

/** A batch that can be looked into. */
interface OpenBatch {
  readonly frame: Buffer;
  readonly header: BatchHeader;
  /** The same with its records unpacked; itself when they are plain. */
  readonly plain: Buffer;
}

/** A frame to write, or `null` where a gap is to be. */
export type RetainedFrame = Buffer | null;

/** What a pass has done to records so far. */
export interface RetentionCounts {
  recordsKept: number;
  recordsDropped: number;
  /** Of the dropped: tombstones whose time was over. */
  tombstonesDropped: number;
  /** Of the kept: tombstones and markers whose time is over, and that a replica may lack. */
  recordsHeld: number;
  /** The first delete horizon at which another pass could drop something; `null` for none. */
  nextHorizonMs: number | null;
}

export class BatchRetention {
  readonly #rules: RetentionRules;
  readonly counts: RetentionCounts = {
    recordsKept: 0,
    recordsDropped: 0,
    tombstonesDropped: 0,
    recordsHeld: 0,
    nextHorizonMs: null,
  };
  /** Which records of the batch in hand stay, by their place in it. */
  #stays = new Uint8Array(1024);
  /** A batch was met that may hide older records: nobody can read it, or it could not be written without them. */
  #metHiding = false;

  constructor(rules: RetentionRules) {
    this.#rules = rules;
  }

  /** What is to stand in the place of a whole `frame`: itself, a smaller one, or nothing. Batches come in order. */
  retained(frame: Buffer, header: BatchHeader): RetainedFrame {
    if (isGap(header)) return null;
    if (header.control !== null) return this.#marker(frame, header);
    const { transactions, coveredEnd } = this.#rules;
    const isAborted = transactions.isAborted(header);
    transactions.noteRecords(header);
    if (header.baseOffset >= coveredEnd || transactions.isOpen(header)) return this.#whole(frame, header);
    if (isAborted || header.recordCount === 0) return this.#emptied(frame, header);
    const plain = plainOrNull(frame, header, this.#rules.compression);
    if (plain === null || plain.length > this.#rules.frameBytesMax) this.#metHiding = true;
    if (plain !== null && plain !== frame) this.#rules.onUnpacked?.(Math.max(0, plain.length - frame.length));
    return plain === null ? this.#whole(frame, header) : this.#thinned({ frame, header, plain });
  }

  /** A marker goes once nothing of its transaction is left for it to speak for, and its own time is over. */
  #marker(frame: Buffer, header: BatchHeader): RetainedFrame {
    const { transactions, producers, coveredEnd } = this.#rules;
    const hadRecords = transactions.endTransaction(header);
    const isCovered = header.nextOffset <= coveredEnd;
    if (hadRecords || !isCovered || producers.isTail(header)) return this.#whole(frame, header);
    if (this.#mayGo(header)) return this.#dropped(header.recordCount);
    if (this.#isOver(header)) this.counts.recordsHeld += header.recordCount;
    const { deleteHorizonMs } = header;
    const horizonMs = deleteHorizonMs ?? this.#newHorizonMs();
    this.#noteHorizon(horizonMs);
    this.counts.recordsKept += header.recordCount;
    if (deleteHorizonMs !== null) return frame;
    return thinnedFrame(frame, { stays: () => true, deleteHorizonMs: horizonMs });
  }

  #thinned(batch: OpenBatch): RetainedFrame {
    const { frame, header } = batch;
    const { kept, tombstones } = this.#choose(batch);
    if (kept === 0) return this.#emptied(frame, header);
    const isWhole = kept === header.recordCount;
    const hasHorizon = tombstones > 0 && header.nextOffset <= this.#rules.coveredEnd;
    const rewritten = hasHorizon
      ? this.#withTombstones(batch, { isWhole, tombstones })
      : this.#without(batch, { isWhole });
    if (rewritten === frame) return this.#whole(frame, header);
    this.counts.recordsKept += kept;
    this.counts.recordsDropped += header.recordCount - kept;
    return rewritten;
  }

  /** The batch with the records that stay; with all of them where it has to be (see above). */
  #without(batch: OpenBatch, { isWhole }: { isWhole: boolean }): Buffer {
    if (isWhole) return batch.frame;
    const thinned = this.#thinnedTo(batch, null);
    return thinned.length > this.#rules.frameBytesMax ? batch.frame : thinned;
  }

  /**
   * A batch with tombstones gets its delete horizon once all of it was covered: before, the grace of some would begin
   * too early. Where the horizon would make the batch larger than one may be, its tombstones wait until it has lost others.
   */
  #withTombstones(
    batch: OpenBatch,
    { isWhole, tombstones }: { isWhole: boolean; tombstones: number },
  ): Buffer {
    const { frame, header } = batch;
    const horizonMs = header.deleteHorizonMs ?? this.#newHorizonMs();
    const isNew = header.deleteHorizonMs === null;
    const thinned = isWhole && !isNew ? frame : this.#thinnedTo(batch, isNew ? horizonMs : null);
    if (thinned.length > this.#rules.frameBytesMax) return this.#without(batch, { isWhole });
    // Behind a batch that may hide older records no tombstone is ever dropped.
    if (this.#metHiding) return thinned;
    this.#noteHorizon(horizonMs);
    if (this.#isOver(header)) this.counts.recordsHeld += tombstones;
    return thinned;
  }

  /** A packed batch comes out packed, and in the form in which it came, unless it fits no batch any more and plain it does. */
  #thinnedTo({ frame, plain, header: { codec } }: OpenBatch, deleteHorizonMs: number | null): Buffer {
    const { compression, frameBytesMax } = this.#rules;
    let index = 0;
    const thinned = thinnedFrame(plain, { stays: () => this.#stays[index++] === 1, deleteHorizonMs });
    if (codec === null || codec === "none" || compression === undefined) return thinned;
    const packed = packedFrame(thinned, codec, compression, frame);
    return packed.length > frameBytesMax && thinned.length <= frameBytesMax ? thinned : packed;
  }

  /** Decides for each record of a batch, and notes it in `#stays`. */
  #choose({ plain, header }: OpenBatch) {
    const { baseOffset, recordCount } = header;
    const { latest, coveredEnd } = this.#rules;
    if (this.#stays.length < recordCount) this.#stays = new Uint8Array(recordCount);
    const mayGo = this.#mayGo(header) && !this.#metHiding;
    let [kept, tombstones, index] = [0, 0, 0];
    for (const cursor = new RecordCursor(plain); cursor.next(); index += 1) {
      const offset = baseOffset + cursor.offsetDelta;
      const isOpen = !cursor.hasKey || offset >= coveredEnd;
      const isLatest = isOpen || offset >= latest.get(plain, cursor.keyStart, cursor.keyEnd);
      const isTombstone = !isOpen && !cursor.hasValue;
      const stays = isLatest && !(isTombstone && mayGo);
      this.#stays[index] = stays ? 1 : 0;
      if (stays) kept += 1;
      if (stays && isTombstone) tombstones += 1;
      if (isLatest && !stays) this.counts.tombstonesDropped += 1;
    }
    return { kept, tombstones };
  }

  /** None of its records stay; what is left of it is what its producer needs. */
  #emptied(frame: Buffer, header: BatchHeader): RetainedFrame {
    this.counts.recordsDropped += header.recordCount;
    if (!this.#rules.producers.isTail(header)) return null;
    return frame.length === HEADER_BYTES ? frame : emptiedFrame(frame);
  }

  #whole(frame: Buffer, header: BatchHeader): RetainedFrame {
    this.counts.recordsKept += header.recordCount;
    return frame;
  }

  #dropped(records: number): RetainedFrame {
    this.counts.recordsDropped += records;
    return null;
  }

  /** Whether the time of its tombstones, or of the marker that it is, is over. */
  #isOver({ deleteHorizonMs }: BatchHeader): boolean {
    return deleteHorizonMs !== null && this.#rules.nowMs >= deleteHorizonMs;
  }

  /** And nobody is left who lacks them: such a one would keep what they have ended. */
  #mayGo(header: BatchHeader): boolean {
    return this.#isOver(header) && header.nextOffset <= this.#rules.copiedEnd;
  }

  #newHorizonMs(): number {
    return Math.min(this.#rules.nowMs + this.#rules.deleteRetentionMs, TIMESTAMP_MS_MAX);
  }

  #noteHorizon(horizonMs: number): void {
    const { nextHorizonMs } = this.counts;
    this.counts.nextHorizonMs = nextHorizonMs === null ? horizonMs : Math.min(nextHorizonMs, horizonMs);
  }
}
