/**
 * One segment: a file of batches one after another, beginning with the one of its base offset.
 *
 * Owns: the file, its indexes, the numbers that say how much of both counts.
 * Invariants: bytes up to `sizeBytes` are whole batches; `nextOffset` is behind the last; a batch is readable as soon as
 * append() has returned, and durable once a sync() that was called after it has succeeded (and the file's name is durable).
 * Never: a byte below `sizeBytes` changed; a failed append counted.
 */
import { type BatchHeader, readBatchHeader } from "@minikafka/record";
import { assert } from "../../assert.ts";
import type { LogContext } from "../context/log-context.ts";
import { indexPaths } from "../files/file-names.ts";
import { type ScanEnd, type ScannedFrame, scanFrames } from "../frames/frame-scan.ts";
import { abortedBy } from "../indexes/aborted-index.ts";
import { SegmentAborts } from "../indexes/segment-aborts.ts";
import { SegmentIndex } from "../indexes/segment-index.ts";
import { latestRecordMs } from "../indexes/time-index-builder.ts";
import type { SegmentExtent } from "./segment-extent.ts";
import { SegmentFile } from "./segment-file.ts";
import type { SegmentBytes } from "./segment-reader.ts";
import { SegmentReads } from "./segment-reads.ts";

export class Segment extends SegmentReads {
  readonly baseOffset: number;
  readonly generation: number;
  readonly #context: LogContext;
  readonly #file: SegmentFile;
  /** Made when somebody asks for it: most segments of most logs lie idle. */
  #madeIndex: SegmentIndex | null = null;
  #nextOffset: number;
  #sizeBytes: number;
  #maxTimestampMs: number;
  /** Made with the first abort marker: most segments have none. */
  #madeAborts: SegmentAborts | null = null;
  /** `null`: there is none, or it has still to be read. */
  #firstTimestampMs: number | null = null;

  /** What `known` says is there and is durable. Opens nothing yet. */
  constructor(context: LogContext, known: SegmentExtent) {
    super();
    this.baseOffset = known.baseOffset;
    this.generation = known.generation;
    this.#context = context;
    this.#nextOffset = known.nextOffset;
    this.#sizeBytes = known.sizeBytes;
    this.#maxTimestampMs = known.maxTimestampMs;
    this.#file = new SegmentFile(context, this, known.sizeBytes);
    if (known.aborted !== null) this.#madeAborts = new SegmentAborts(context, this, known.aborted);
  }

  get path(): string {
    return this.#file.path;
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
    const { baseOffset, generation, nextOffset, sizeBytes, maxTimestampMs, aborted } = this;
    return { baseOffset, generation, nextOffset, sizeBytes, maxTimestampMs, aborted };
  }

  /** Kafka: rollingBasedTimestamp, the latest of the first batch; `null` while there is none. Throws DiskError. */
  get firstTimestampMs(): number | null {
    if (this.#sizeBytes === 0) return null;
    this.#firstTimestampMs ??= this.headerAt(0)?.maxTimestampMs ?? null;
    return this.#firstTimestampMs;
  }

  /** Bytes that a power cut could take. */
  get unsyncedBytes(): number {
    return this.#sizeBytes - this.#file.syncedBytes;
  }

  /** True after any attempt to change the file that no sync has covered, also after one that was undone. */
  get needsSync(): boolean {
    return this.#file.needsSync;
  }

  /** Makes the file; an empty one may be left of an attempt that failed. Throws STORAGE_ERROR, DiskError. */
  create(): void {
    this.#file.create();
  }

  /** Removes the file and its indexes; what is in them does not count any more. Throws DiskError; then the file is there. */
  remove(): void {
    const { disk } = this.#context.env;
    this.close();
    const { folder } = this.#context;
    for (const path of [...indexPaths(folder, this), this.path])
      if (disk.stat(path) !== null) disk.remove(path);
  }

  /** Takes create() back. If the disk refuses, an empty file stays, which says nothing. */
  discard(): void {
    this.close();
    this.#file.discard();
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
    this.#file.writeAt(this.#sizeBytes, frames);
    env.faults.hit("log.append.after_write", place);
    let at = 0;
    for (const header of headers) {
      this.#take({ position: this.#sizeBytes, header }, frames.subarray(at, at + header.frameBytes));
      at += header.frameBytes;
    }
  }

  /** Writes whole frames behind the last in one go, and counts them. After a DiskError the file must be discarded. */
  extend(frames: Buffer): void {
    this.#file.writeAt(this.#sizeBytes, frames);
    for (let at = 0; at < frames.length; ) {
      const header = readBatchHeader(frames, at);
      assert(
        header.baseOffset === this.#nextOffset,
        `batch ${header.baseOffset} cannot follow ${this.#nextOffset}`,
      );
      this.#take({ position: this.#sizeBytes, header }, frames.subarray(at, at + header.frameBytes));
      at += header.frameBytes;
    }
  }

  /** Whether the file ends behind the last batch that counts. Throws DiskError. */
  get isExact(): boolean {
    return this.#file.opened().sizeBytes() === this.#sizeBytes;
  }

  /** Removes what lies behind it. Throws DiskError. */
  cutBack(): void {
    this.#file.truncate(this.#sizeBytes);
  }

  /** Cuts the file to `left`. Throws DiskError; then nothing was cut. */
  cutTo({ nextOffset, sizeBytes, maxTimestampMs, aborted }: SegmentExtent): void {
    this.#file.truncate(sizeBytes);
    this.#nextOffset = nextOffset;
    this.#sizeBytes = sizeBytes;
    this.#maxTimestampMs = maxTimestampMs;
    this.index.cut();
    this.#madeAborts?.cut(aborted);
  }

  /** Counts a batch that lies in the file; `frame` is read there where it is not given. */
  #take({ position, header }: ScannedFrame, frame?: Buffer): void {
    this.index.note(header, position);
    if (position === 0) this.#firstTimestampMs = header.maxTimestampMs;
    this.#sizeBytes = position + header.frameBytes;
    this.#nextOffset = header.nextOffset;
    this.#maxTimestampMs = Math.max(this.#maxTimestampMs, latestRecordMs(header));
    if (header.control === "abort") this.#noteAbort({ position, header }, frame);
  }

  /**
   * Counts the valid batches that lie behind what is known, up to `end`, and tells `note` of each. They may not be durable.
   * Throws DiskError.
   */
  recover(end: number, note: (header: BatchHeader) => void): ScanEnd {
    const { frameBytesMax } = this.#context;
    const [from, offset] = [this.#sizeBytes, this.#nextOffset];
    if (end === from) return { position: from, nextOffset: offset, problem: null };
    this.#file.doubt();
    return scanFrames(this.#file.opened(), { from, end, offset, frameBytesMax, check: "whole" }, (frame) => {
      this.#take(frame);
      note(frame.header);
      return true;
    });
  }

  /** Puts a new, synced file with the same bytes in the place of the old one. Throws DiskError. */
  renew(): void {
    this.#madeIndex?.close();
    this.#file.renew(this.#sizeBytes);
  }

  /** Makes durable what is there now. The numbers change only when that has succeeded. */
  async sync(): Promise<void> {
    await this.#file.sync(this.#sizeBytes);
  }

  /** Throws DiskError when somebody has removed, replaced or emptied the file: then what it holds is nobody's. */
  requireInPlace(): void {
    this.#file.requireInPlace(this.#sizeBytes);
  }

  /** As sync(), waiting for it. */
  syncNow(): void {
    this.#file.syncNow(this.#sizeBytes);
  }

  writeIndex(): void {
    this.index.write();
    this.#madeAborts?.write();
  }

  /** Gives the file and the index's memory back, until somebody reads again. For a segment that grows no more. */
  release(): void {
    this.close();
    this.#madeIndex?.release();
    this.#madeAborts?.release();
  }

  close(): void {
    this.#file.close();
    this.#madeIndex?.close();
    this.#madeAborts?.close();
  }

  #noteAbort(scanned: ScannedFrame, frame = this.bytesOf(scanned)): void {
    const { position, header } = scanned;
    const aborted = abortedBy(frame, header);
    if (aborted === null) return;
    this.#madeAborts ??= new SegmentAborts(this.#context, this, null);
    this.#madeAborts.note({ ...aborted, position });
  }

  protected get bytes(): SegmentBytes {
    const { frameBytesMax, indexIntervalBytes, env } = this.#context;
    const { compression } = env;
    const sizeBytes = this.#sizeBytes;
    return { file: this.#file.opened(), sizeBytes, frameBytesMax, indexIntervalBytes, compression };
  }

  protected get aborts(): SegmentAborts | null {
    return this.#madeAborts;
  }

  protected get index(): SegmentIndex {
    this.#madeIndex ??= new SegmentIndex(this.#context, this, this.#sizeBytes);
    return this.#madeIndex;
  }
}
