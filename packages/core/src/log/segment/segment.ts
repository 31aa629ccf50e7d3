/**
 * One segment: a file of batches one after another, beginning with the one of its base offset.
 *
 * Owns: the file, its indexes, the numbers that say how much of both counts.
 * Invariants: bytes up to `sizeBytes` are whole batches; `nextOffset` is behind the last; a batch is readable as soon as
 * append() has returned, and durable once a sync() that was called after it has succeeded (and the file's name is durable).
 * Never: a byte below `sizeBytes` changed; a failed append counted.
 */
import { type BatchHeader, HEADER_BYTES, prefixProblem, readBatchHeader } from "@minikafka/record";
import { assert } from "../../assert.ts";
import { DiskError, type DiskFile } from "../../env/disk.ts";
import { storageError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { LogContext } from "../context/log-context.ts";
import { segmentPath, temporaryPath } from "../files/file-names.ts";
import { type ScanEnd, type ScannedFrame, type ScanRange, scanFrames } from "../frames/frame-scan.ts";
import { type WalkedFrame, walkFrames } from "../frames/frame-walk.ts";
import { UINT32_MAX } from "../indexes/offset-index.ts";
import { type IndexEntries, type IndexHit, SegmentIndex, type WalkEnd } from "../indexes/segment-index.ts";
import type { TimeBelow, TimeSpan } from "../indexes/segment-times.ts";
import { latestRecordMs } from "../indexes/time-index-builder.ts";
import type { SegmentExtent } from "./segment-extent.ts";
import {
  damage,
  type ReadBatches,
  type ReadLimits,
  readBatches,
  type SegmentBytes,
} from "./segment-reader.ts";

export class Segment {
  readonly baseOffset: number;
  readonly generation: number;
  readonly #context: LogContext;
  /** Made when somebody asks for it: most segments of most logs lie idle. */
  #path: string | null = null;
  #madeIndex: SegmentIndex | null = null;
  #file: DiskFile | null = null;
  #nextOffset: number;
  #sizeBytes: number;
  #maxTimestampMs: number;
  /** Kafka: rollingBasedTimestamp, the latest of the first batch. `null`: there is none, or it has still to be read. */
  #firstTimestampMs: number | null = null;
  /** Attempts to change the file, and how many of them a sync has covered. */
  #changes = 0;
  #syncedChanges = 0;
  #syncedBytes: number;

  /** What `known` says is there and is durable. Opens nothing yet. */
  constructor(context: LogContext, known: SegmentExtent) {
    this.baseOffset = known.baseOffset;
    this.generation = known.generation;
    this.#context = context;
    this.#nextOffset = known.nextOffset;
    this.#sizeBytes = known.sizeBytes;
    this.#maxTimestampMs = known.maxTimestampMs;
    this.#syncedBytes = known.sizeBytes;
  }

  get path(): string {
    this.#path ??= segmentPath(this.#context.folder, this);
    return this.#path;
  }

  get nextOffset(): number {
    return this.#nextOffset;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get maxTimestampMs(): number {
    return this.#maxTimestampMs;
  }

  get extent(): SegmentExtent {
    const { baseOffset, generation, nextOffset, sizeBytes, maxTimestampMs } = this;
    return { baseOffset, generation, nextOffset, sizeBytes, maxTimestampMs };
  }

  /** Bytes that a power cut could take. */
  get unsyncedBytes(): number {
    return this.#sizeBytes - this.#syncedBytes;
  }

  /** True after any attempt to change the file that no sync has covered, also after one that was undone. */
  get needsSync(): boolean {
    return this.#changes > this.#syncedChanges;
  }

  /** Makes the file; an empty one may be left of an attempt that failed. Throws STORAGE_ERROR, DiskError. */
  create(): void {
    const file = this.#context.env.disk.openFile(this.path, { create: "if-missing" });
    try {
      const sizeBytes = file.sizeBytes();
      if (sizeBytes > 0) {
        const expected = "a new segment, empty";
        throw storageError(`it holds ${sizeBytes} bytes`, { file: this.path, expected });
      }
    } catch (problem) {
      file.close();
      throw problem;
    }
    this.#file = file;
  }

  /** Removes the file and its indexes; what is in them does not count any more. Throws DiskError; then the file is there. */
  remove(): void {
    const { disk } = this.#context.env;
    this.close();
    for (const path of [...this.#index.paths, this.path]) if (disk.stat(path) !== null) disk.remove(path);
  }

  /** Takes create() back. If the disk refuses, an empty file stays, which says nothing. */
  discard(): void {
    this.close();
    try {
      this.#context.env.disk.remove(this.path);
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
    }
  }

  /** Whether a batch of these numbers may still go here; the first always may. */
  hasRoomFor(frameBytes: number, nextOffset: number): boolean {
    return this.#sizeBytes === 0 || this.hasRoomBehind(frameBytes, nextOffset);
  }

  /** The same for one that will not be the first. Positions and relative offsets in the index are u32. */
  hasRoomBehind(addedBytes: number, nextOffset: number): boolean {
    const end = this.#sizeBytes + addedBytes;
    return (
      end <= this.#context.config.segmentBytes &&
      end <= UINT32_MAX &&
      nextOffset - this.baseOffset <= UINT32_MAX
    );
  }

  /**
   * Whether a batch of this time is too late for the segment, by Kafka's rule (LogSegment.shouldRoll): later than its first
   * batch by more than segment.ms. Throws DiskError.
   */
  isTooOldFor(timestampMs: number): boolean {
    if (this.#sizeBytes === 0) return false;
    this.#firstTimestampMs ??= this.headerAt(0)?.maxTimestampMs ?? null;
    const { segmentMs } = this.#context.config;
    return this.#firstTimestampMs !== null && this.#firstTimestampMs >= 0
      ? timestampMs - this.#firstTimestampMs > segmentMs
      : false;
  }

  /**
   * Writes batches that follow each other behind the last, in one write. After a DiskError none of them counts, and
   * cutBack() must follow before anything else is written.
   */
  append(frames: Buffer, headers: readonly BatchHeader[]): void {
    const { env, place } = this.#context;
    const baseOffset = headers[0]?.baseOffset;
    assert(baseOffset === this.#nextOffset, `batch ${baseOffset} cannot follow ${this.#nextOffset}`);
    env.faults.hit("log.append.before_write", place);
    this.#changes++;
    this.#opened().writeAt(this.#sizeBytes, frames);
    env.faults.hit("log.append.after_write", place);
    for (const header of headers) this.take({ position: this.#sizeBytes, header });
  }

  /** Writes whole frames behind the last in one go, and counts them. After a DiskError the file must be discarded. */
  extend(frames: Buffer): void {
    this.#changes++;
    this.#opened().writeAt(this.#sizeBytes, frames);
    for (let at = 0; at < frames.length; ) {
      const header = readBatchHeader(frames, at);
      assert(
        header.baseOffset === this.#nextOffset,
        `batch ${header.baseOffset} cannot follow ${this.#nextOffset}`,
      );
      this.take({ position: this.#sizeBytes, header });
      at += header.frameBytes;
    }
  }

  /** Removes what lies behind the last batch that counts. Throws DiskError. */
  cutBack(): void {
    this.#changes++;
    this.#opened().truncate(this.#sizeBytes);
  }

  /** Cuts the file to `left`. Throws DiskError; then nothing was cut. */
  cutTo({ nextOffset, sizeBytes, maxTimestampMs }: SegmentExtent): void {
    this.#changes++;
    this.#opened().truncate(sizeBytes);
    this.#nextOffset = nextOffset;
    this.#sizeBytes = sizeBytes;
    this.#maxTimestampMs = maxTimestampMs;
    this.#syncedBytes = Math.min(this.#syncedBytes, sizeBytes);
    this.#index.cut();
  }

  /** Counts a batch that lies in the file. */
  take({ position, header }: ScannedFrame): void {
    this.#index.note(header, position);
    if (position === 0) this.#firstTimestampMs = header.maxTimestampMs;
    this.#sizeBytes = position + header.frameBytes;
    this.#nextOffset = header.nextOffset;
    this.#maxTimestampMs = Math.max(this.#maxTimestampMs, latestRecordMs(header));
  }

  /**
   * Counts the valid batches that lie behind what is known, up to `end`, and tells `note` of each. They may not be durable.
   * Throws DiskError.
   */
  recover(end: number, note: (header: BatchHeader) => void): ScanEnd {
    const { frameBytesMax } = this.#context;
    const [from, offset] = [this.#sizeBytes, this.#nextOffset];
    if (end === from) return { position: from, nextOffset: offset, problem: null };
    this.#changes++;
    return scanFrames(this.#opened(), { from, end, offset, frameBytesMax, check: "whole" }, (frame) => {
      this.take(frame);
      note(frame.header);
      return true;
    });
  }

  /** Puts a new, synced file with the same bytes in the place of the old one. Throws DiskError. */
  renew(): void {
    const { folder, env } = this.#context;
    const path = temporaryPath(folder, this);
    const copy = env.disk.openFile(path, { create: "exclusive" });
    try {
      for (let position = 0; position < this.#sizeBytes; position += LIMITS.scanChunkBytes) {
        const lengthBytes = Math.min(LIMITS.scanChunkBytes, this.#sizeBytes - position);
        copy.writeAt(position, this.#opened().readAt(position, lengthBytes));
      }
      copy.syncNow();
    } finally {
      copy.close();
    }
    this.close();
    env.disk.rename(path, this.path);
    env.trace({
      kind: "renewed",
      ...this.#context.place,
      segmentBaseOffset: this.baseOffset,
      bytes: this.#sizeBytes,
    });
  }

  /** Makes durable what is there now. The numbers change only when that has succeeded. */
  async sync(): Promise<void> {
    const [changes, sizeBytes] = [this.#changes, this.#sizeBytes];
    await this.#opened().sync();
    this.#noteSynced(changes, sizeBytes);
  }

  /** The same, waiting for it. */
  syncNow(): void {
    this.#opened().syncNow();
    this.#noteSynced(this.#changes, this.#sizeBytes);
  }

  /** The batches from the one that holds `offset` on, which must be here. Throws STORAGE_ERROR, DiskError. */
  read(offset: number, limits: ReadLimits): ReadBatches {
    const bytes = this.#bytes();
    const request = { offset, limits };
    let hit = this.#index.lookup(offset);
    let result = readBatches(bytes, { hit, ...request });
    if ("falseHit" in result && hit.position > 0) {
      this.#index.rebuild(result.falseHit);
      hit = this.#index.lookup(offset);
      result = readBatches(bytes, { hit, ...request });
    }
    if (!("falseHit" in result)) return result;
    // The first batch is where it is, whatever an index says; and one made anew is true. The segment is not.
    throw damage(bytes, { position: hit.position, problem: result.falseHit }, hit.offset);
  }

  /**
   * The batches from somewhere at or before the one that holds `offset` on, damaged ones with what is wrong. Throws DiskError.
   */
  *look(offset: number, { withRecords }: { readonly withRecords: boolean }): Generator<WalkedFrame> {
    const { frameBytesMax, indexIntervalBytes } = this.#context;
    const rest = { end: this.#sizeBytes, frameBytesMax, withRecords, chunkBytes: 16 * indexIntervalBytes };
    const hit = this.#index.lookup(offset);
    const walkFrom = (start: IndexHit) =>
      walkFrames(this.#opened(), { ...rest, from: start.position, offset: start.offset });
    const [first] = walkFrom(hit);
    // An index may be wrong; only the first batch is where it is, whatever happens.
    const isTrue = hit.position === 0 || first?.problem === null;
    yield* walkFrom(isTrue ? hit : { offset: this.baseOffset, position: 0 });
  }

  /** For lookups: see LookupSegment. */
  entryFor(offset: number): IndexHit {
    return this.#index.lookup(offset);
  }

  /** All entries of both indexes. */
  indexEntries(): IndexEntries {
    return this.#index.list();
  }

  timeSpan(timestampMs: number): TimeSpan {
    return this.#index.lookupTime(timestampMs);
  }

  distrust(problem: string): void {
    this.#index.rebuild(problem);
  }

  scan(
    { position: from, offset }: IndexHit,
    visit: (frame: ScannedFrame) => boolean,
    check: ScanRange["check"] = "whole",
  ): ScanEnd {
    const chunkBytes = 2 * this.#context.indexIntervalBytes;
    return this.#scan({ from, offset, check, chunkBytes }, visit);
  }

  /** For cuts: see SegmentToCut. */
  scanHeaders(from: IndexHit, visit: (frame: ScannedFrame) => boolean): ScanEnd {
    return this.scan(from, visit, "headers");
  }

  timeBelow(offset: number): TimeBelow {
    return this.#index.timeBelow(offset);
  }

  bytesOf({ position, header }: ScannedFrame): Buffer {
    return this.#opened().readAt(position, header.frameBytes);
  }

  /** For the indexes: see IndexedSegment. */
  walk(end: number, visit: (header: BatchHeader, position: number, isSound: boolean) => void): WalkEnd {
    const visitAs = (isSound: boolean) => (frame: ScannedFrame) => {
      visit(frame.header, frame.position, isSound);
      return true;
    };
    const sound = this.#scan({ end, check: "whole" }, visitAs(true));
    if (sound.problem === null) return { position: sound.position, isSound: true };
    const rest = { from: sound.position, offset: sound.nextOffset, end, check: "headers" } as const;
    return { position: this.#scan(rest, visitAs(false)).position, isSound: false };
  }

  headerAt(position: number): BatchHeader | null {
    const bytes = this.#opened().readAt(position, HEADER_BYTES);
    return prefixProblem(bytes, 0, this.#context.frameBytesMax) === null ? readBatchHeader(bytes) : null;
  }

  writeIndex(): void {
    this.#index.write();
  }

  /** Gives the file and the index's memory back, until somebody reads again. For a segment that grows no more. */
  release(): void {
    this.close();
    this.#madeIndex?.release();
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
    this.#madeIndex?.close();
  }

  #scan(
    range: Pick<ScanRange, "check"> & Partial<ScanRange>,
    visit: (frame: ScannedFrame) => boolean,
  ): ScanEnd {
    const { frameBytesMax } = this.#context;
    const whole = { from: 0, offset: this.baseOffset, end: this.#sizeBytes, frameBytesMax };
    return scanFrames(this.#opened(), { ...whole, ...range }, visit);
  }

  #noteSynced(changes: number, sizeBytes: number): void {
    this.#syncedChanges = Math.max(this.#syncedChanges, changes);
    this.#syncedBytes = Math.max(this.#syncedBytes, sizeBytes);
  }

  #bytes(): SegmentBytes {
    const { frameBytesMax, indexIntervalBytes } = this.#context;
    return { file: this.#opened(), sizeBytes: this.#sizeBytes, frameBytesMax, indexIntervalBytes };
  }

  get #index(): SegmentIndex {
    this.#madeIndex ??= new SegmentIndex(this.#context, this, this.#sizeBytes);
    return this.#madeIndex;
  }

  #opened(): DiskFile {
    this.#file ??= this.#context.env.disk.openFile(this.path);
    return this.#file;
  }
}
