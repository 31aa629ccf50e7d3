/**
 * A segment that a compaction writes, of a generation that no file has had.
 *
 * Owns: the file until it is finished or discarded; frames that wait to be written in one go; the gap that is growing.
 * Invariants: frames join without a hole, since whatever is left out is covered by gaps; gaps of one leader epoch that
 * meet are one, and gaps of two never, so that a follower learns each epoch's first offset from the frames.
 * Never: named by a manifest before sync() has resolved and the folder was synced.
 */
import { type BatchHeader, GAP_OFFSETS_MAX, type Gap, gapFrame } from "@minikafka/record";
import { assert } from "../../assert.ts";
import type { LogContext } from "../context/log-context.ts";
import { type SegmentName, segmentFileName, segmentPath } from "../files/file-names.ts";
import { removeObsolete } from "../manifest/obsolete-files.ts";
import { Segment } from "../segment/segment.ts";
import { emptyExtent } from "../segment/segment-extent.ts";

export class SegmentRewrite {
  readonly segment: Segment;
  readonly #context: LogContext;
  readonly #name: SegmentName;
  readonly #chunk: Buffer;
  #chunkBytes = 0;
  #gap: Gap | null = null;

  /** Makes the file. What an earlier attempt left under its name is removed. Throws STORAGE_ERROR, DiskError. */
  constructor(context: LogContext, name: SegmentName, chunkBytes: number) {
    const { env, folder, place } = context;
    this.#context = context;
    this.#name = name;
    this.#chunk = Buffer.allocUnsafe(chunkBytes);
    this.segment = new Segment(context, emptyExtent(name.baseOffset, name.generation));
    env.faults.hit("log.compact.before_create", place);
    const path = segmentPath(folder, name);
    if (env.disk.stat(path) !== null) env.disk.remove(path);
    this.segment.create();
  }

  /** Throws DiskError; then the file is to be discarded. */
  add(frame: Buffer): void {
    this.#writeGap();
    this.#write(frame);
  }

  /** Nothing of a batch stays but its offsets. Throws DiskError; then the file is to be discarded. */
  addGap({ baseOffset, nextOffset, leaderEpoch }: BatchHeader): void {
    if (this.#gap?.leaderEpoch === leaderEpoch) {
      assert(this.#gap.nextOffset === baseOffset, `a gap at ${baseOffset} follows ${this.#gap.nextOffset}`);
      this.#gap = { ...this.#gap, nextOffset };
      return;
    }
    this.#writeGap();
    this.#gap = { baseOffset, nextOffset, leaderEpoch };
  }

  /** Nothing follows. Throws DiskError; then the file is to be discarded. */
  complete(): void {
    this.#writeGap();
    this.#flush();
  }

  /** Makes the file durable, its name not yet. Rejects with a DiskError. */
  async sync(): Promise<void> {
    await this.segment.sync();
  }

  /** Removes the file and its indexes. Where the disk refuses, one stays that no manifest names; the next open removes it. */
  discard(): void {
    this.segment.close();
    removeObsolete(this.#context, segmentFileName(this.#name));
  }

  #writeGap(): void {
    if (this.#gap === null) return;
    const { nextOffset, leaderEpoch } = this.#gap;
    let { baseOffset } = this.#gap;
    this.#gap = null;
    while (baseOffset < nextOffset) {
      const end = Math.min(nextOffset, baseOffset + GAP_OFFSETS_MAX);
      this.#write(gapFrame({ baseOffset, nextOffset: end, leaderEpoch }));
      baseOffset = end;
    }
  }

  #write(frame: Buffer): void {
    if (this.#chunkBytes + frame.length > this.#chunk.length) this.#flush();
    if (frame.length > this.#chunk.length) {
      this.#extend(frame);
      return;
    }
    this.#chunkBytes += frame.copy(this.#chunk, this.#chunkBytes);
  }

  #flush(): void {
    if (this.#chunkBytes > 0) this.#extend(this.#chunk.subarray(0, this.#chunkBytes));
    this.#chunkBytes = 0;
  }

  #extend(frames: Buffer): void {
    const { env, place } = this.#context;
    env.faults.hit("log.compact.before_write", place);
    this.segment.extend(frames);
    env.faults.hit("log.compact.after_write", place);
  }
}
