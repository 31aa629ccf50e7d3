/**
 * What one may ask of a segment: its batches, and where they are. Nothing here changes the file; an index that leads astray
 * is made anew, but not by who only looks (peek).
 */
import {
  type BatchHeader,
  type Compression,
  HEADER_BYTES,
  prefixProblem,
  readBatchHeader,
} from "@minikafka/record";
import { type ScanEnd, type ScannedFrame, type ScanRange, scanFrames } from "../frames/frame-scan.ts";
import type { WalkedFrame } from "../frames/frame-walk.ts";
import type { AbortedEntry, AbortedExtent } from "../indexes/aborted-index.ts";
import type { WalkEnd } from "../indexes/index-walk.ts";
import type { IndexHit } from "../indexes/offset-index.ts";
import type { SegmentAborts } from "../indexes/segment-aborts.ts";
import type { IndexEntries, SegmentIndex } from "../indexes/segment-index.ts";
import type { TimeBelow, TimeSpan } from "../indexes/segment-times.ts";
import {
  type ReadBatches,
  type ReadLimits,
  readByHint,
  readByIndex,
  type SegmentBytes,
} from "./segment-reader.ts";
import { lookFrom, walkPastDamage } from "./segment-walk.ts";

export abstract class SegmentReads {
  abstract readonly baseOffset: number;
  /** The file, opened if it is not, and how much of it counts. Throws DiskError. */
  protected abstract get bytes(): SegmentBytes;
  protected abstract get index(): SegmentIndex;
  /** `null` while it has had no abort marker. */
  protected abstract get aborts(): SegmentAborts | null;

  /** The abort markers in it; `null` for none. */
  get aborted(): AbortedExtent | null {
    return this.aborts?.extent ?? null;
  }

  /**
   * The transactions with an offset from `fromOffset` up to `endOffset` whose abort markers lie here. Throws STORAGE_ERROR where
   * damage hides a marker, DiskError.
   */
  abortedIn(fromOffset: number, endOffset: number): Iterable<AbortedEntry> {
    return this.aborts?.overlapping(fromOffset, endOffset) ?? [];
  }

  /** The same for who only looks: no index is made, and nothing written. */
  peekAborted(fromOffset: number, endOffset: number): Iterable<AbortedEntry> {
    return this.aborts?.peek(fromOffset, endOffset) ?? [];
  }

  /** For cuts: see SegmentToCut. */
  abortedBelow(endOffset: number): AbortedExtent | null {
    return this.aborts?.extentBelow(endOffset) ?? null;
  }

  /** The batches from the one that holds `offset` on, which must be here. Throws STORAGE_ERROR, DiskError. */
  read(offset: number, limits: ReadLimits): ReadBatches {
    return readByIndex(this.bytes, this.index, { offset, limits });
  }

  /** The same for who only looks: no index is made, and nothing written. */
  peek(offset: number, limits: ReadLimits): ReadBatches {
    return readByHint(this.bytes, this.peekEntry(offset), { offset, limits, baseOffset: this.baseOffset });
  }

  /** As entryFor(), likewise. */
  peekEntry(offset: number): IndexHit {
    return this.index.peek(offset);
  }

  /**
   * The batches from somewhere at or before the one that holds `offset` on, damaged ones with what is wrong. Throws DiskError.
   */
  *look(offset: number, { withRecords }: { readonly withRecords: boolean }): Generator<WalkedFrame> {
    const hit = this.index.lookup(offset);
    yield* lookFrom(this.bytes, { hit, baseOffset: this.baseOffset, withRecords });
  }

  /** For lookups: see LookupSegment. */
  get compression(): Compression | undefined {
    return this.bytes.compression;
  }

  /** Likewise. */
  entryFor(offset: number): IndexHit {
    return this.index.lookup(offset);
  }

  /** All entries of its indexes. */
  indexEntries(): IndexEntries & { readonly aborted: readonly AbortedEntry[] } {
    return { ...this.index.list(), aborted: this.aborts?.list() ?? [] };
  }

  timeSpan(timestampMs: number): TimeSpan {
    return this.index.lookupTime(timestampMs);
  }

  distrust(problem: string): void {
    this.index.rebuild(problem);
  }

  scan(
    { position: from, offset }: IndexHit,
    visit: (frame: ScannedFrame) => boolean,
    check: ScanRange["check"] = "whole",
  ): ScanEnd {
    const { file, sizeBytes: end, frameBytesMax, indexIntervalBytes } = this.bytes;
    const range = { from, offset, end, frameBytesMax, check, chunkBytes: 2 * indexIntervalBytes };
    return scanFrames(file, range, visit);
  }

  /** For cuts: see SegmentToCut. */
  timeBelow(offset: number): TimeBelow {
    return this.index.timeBelow(offset);
  }

  bytesOf({ position, header }: ScannedFrame): Buffer {
    return this.bytes.file.readAt(position, header.frameBytes);
  }

  /** For the indexes: see IndexedSegment. */
  walk(end: number, visit: (header: BatchHeader, position: number, isSound: boolean) => void): WalkEnd {
    return walkPastDamage(this.bytes, { baseOffset: this.baseOffset, end }, visit);
  }

  headerAt(position: number): BatchHeader | null {
    const { file, frameBytesMax } = this.bytes;
    const bytes = file.readAt(position, HEADER_BYTES);
    return prefixProblem(bytes, 0, frameBytesMax) === null ? readBatchHeader(bytes) : null;
  }
}
