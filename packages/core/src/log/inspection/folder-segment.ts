/**
 * A segment of a folder that nobody opened, as a search sees it.
 *
 * Owns: its file, open for reading until close().
 * Invariants: an index file that cannot be used, or has said what is not so, is told once; from then on this does without.
 * Never: anything written; an index made anew.
 */
import {
  type BatchHeader,
  type Compression,
  HEADER_BYTES,
  prefixProblem,
  readBatchHeader,
} from "@minikafka/record";
import { type Disk, DiskError, type DiskFile, readSmallFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { indexPath, segmentPath, timeIndexPath } from "../files/file-names.ts";
import { type ScanEnd, type ScannedFrame, type ScanRange, scanFrames } from "../frames/frame-scan.ts";
import type { IndexHit } from "../indexes/offset-index.ts";
import { OffsetIndex } from "../indexes/offset-index.ts";
import { coverageProblem, type TimeSpan } from "../indexes/segment-times.ts";
import { TimeIndex } from "../indexes/time-index.ts";
import type { LookupSegment, LookupStep } from "../segment/lookup.ts";
import type { SegmentExtent } from "../segment/segment-extent.ts";

export interface FolderToSearch {
  readonly disk: Disk;
  readonly folder: string;
  /** Left out: compressed batches are not looked into. */
  readonly compression?: Compression | undefined;
  /** Takes what is told of indexes that cannot be used. */
  readonly steps: LookupStep[];
}

interface Times {
  readonly index: TimeIndex;
  readonly lookBytes: number;
}

export class FolderSegment implements LookupSegment {
  readonly path: string;
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  readonly maxTimestampMs: number;
  readonly compression: Compression | undefined;
  readonly #extent: SegmentExtent;
  readonly #searched: FolderToSearch;
  #file: DiskFile | null = null;
  #offsets: OffsetIndex | null = null;
  #times: Times | null = null;

  constructor(searched: FolderToSearch, extent: SegmentExtent) {
    this.path = segmentPath(searched.folder, extent);
    this.baseOffset = extent.baseOffset;
    this.nextOffset = extent.nextOffset;
    this.sizeBytes = extent.sizeBytes;
    this.maxTimestampMs = extent.maxTimestampMs;
    this.compression = searched.compression;
    this.#extent = extent;
    this.#searched = searched;
  }

  entryFor(offset: number): IndexHit {
    this.#offsets ??= this.#readOffsets();
    const { relativeOffset, position } = this.#offsets.lookup(offset - this.baseOffset);
    return { offset: this.baseOffset + relativeOffset, position };
  }

  timeSpan(timestampMs: number): TimeSpan {
    this.#times ??= this.#readTimes();
    const { index, lookBytes } = this.#times;
    const entry = index.search(timestampMs);
    return { after: index.at(entry - 1), until: index.at(entry), lookBytes };
  }

  distrust(): void {
    this.#offsets = new OffsetIndex();
    this.#times = { index: new TimeIndex(), lookBytes: Number.POSITIVE_INFINITY };
  }

  headerAt(position: number): BatchHeader | null {
    const bytes = this.#opened().readAt(position, HEADER_BYTES);
    return prefixProblem(bytes, 0, LIMITS.batchBytesMax) === null ? readBatchHeader(bytes) : null;
  }

  scan(
    { position: from, offset }: IndexHit,
    visit: (frame: ScannedFrame) => boolean,
    check: ScanRange["check"] = "whole",
  ): ScanEnd {
    const { sizeBytes: end } = this;
    const chunkBytes = LIMITS.headerChunkBytes;
    const range = { from, end, offset, frameBytesMax: LIMITS.batchBytesMax, check, chunkBytes };
    return scanFrames(this.#opened(), range, visit);
  }

  bytesOf({ position, header }: ScannedFrame): Buffer {
    return this.#opened().readAt(position, header.frameBytes);
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  #readOffsets(): OffsetIndex {
    const decoded = this.#read(indexPath(this.#searched.folder, this.#extent), OffsetIndex.decode);
    if (decoded === null) return new OffsetIndex();
    if ("problem" in decoded) return this.#without(decoded.problem, new OffsetIndex());
    const { nextOffset, baseOffset, sizeBytes } = this;
    return decoded.index.upTo({ relativeOffset: nextOffset - baseOffset, position: sizeBytes });
  }

  #readTimes(): Times {
    // Without an entry behind them all batches are looked at.
    const none = { index: new TimeIndex(), lookBytes: Number.POSITIVE_INFINITY };
    const decoded = this.#read(timeIndexPath(this.#searched.folder, this.#extent), TimeIndex.decode);
    if (decoded === null) return none;
    if ("problem" in decoded) return this.#without(decoded.problem, none);
    const problem = coverageProblem(this, decoded.coverage, 0);
    if (problem !== null) return this.#without(problem, none);
    return { index: decoded.index, lookBytes: decoded.coverage.intervalBytes };
  }

  /** `null` when there is no such file. */
  #read<Decoded>(path: string, decode: (bytes: Buffer) => Decoded): Decoded | { problem: string } | null {
    try {
      const bytes = readSmallFile(this.#searched.disk, path, LIMITS.indexFileBytesMax);
      return bytes === null ? null : decode(bytes);
    } catch (problem) {
      if (problem instanceof DiskError) return { problem: problem.message };
      throw problem;
    }
  }

  #without<Index>(problem: string, none: Index): Index {
    this.#searched.steps.push({ kind: "index_refused", segment: this.baseOffset, problem });
    return none;
  }

  #opened(): DiskFile {
    this.#file ??= this.#searched.disk.openFile(this.path, { readOnly: true });
    return this.#file;
  }
}
