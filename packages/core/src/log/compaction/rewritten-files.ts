/**
 * The new files of one pass of a compaction: what stays of the old segments, batch by batch.
 *
 * Owns: the files until they are kept or discarded. Invariant: a file covers the offsets of the segments that it is to
 * replace. Never: a batch copied that was not checked.
 */
import { isGap } from "@minikafka/record";
import type { LogContext } from "../context/log-context.ts";
import type { LogState } from "../context/log-state.ts";
import type { Segment } from "../segment/segment.ts";
import { SegmentSource } from "../segment/segment-source.ts";
import type { BatchRetention } from "./batch-retention.ts";
import type { Pace } from "./pace.ts";
import { SegmentRewrite } from "./segment-rewrite.ts";

export class RewrittenFiles {
  readonly #context: LogContext;
  readonly #generation: number;
  readonly #pace: Pace;
  readonly #rewrites: SegmentRewrite[] = [];

  constructor(context: LogContext, { generation, pace }: { generation: number; pace: Pace }) {
    this.#context = context;
    this.#generation = generation;
    this.#pace = pace;
  }

  /**
   * Puts what stays of `group` into one new file, not synced yet; `null` for a segment alone of which everything stays as it
   * is. Groups come in order. Rejects STORAGE_ERROR with the place of damage, DiskError.
   */
  async rewrite(group: readonly Segment[], retention: BatchRetention): Promise<SegmentRewrite | null> {
    let rewrite = group.length > 1 ? this.#begin(group) : null;
    for (const segment of group) {
      const source = new SegmentSource(this.#context, segment, this.#pace.chunkBytes);
      try {
        for (let at = 0, found = source.next(); found !== null; at = source.position, found = source.next()) {
          const { frame, header } = found;
          const retained = retention.retained(frame, header);
          if (rewrite === null && retained !== frame && !isGap(header)) {
            rewrite = this.#begin(group);
            await this.#copy(segment, at, rewrite);
          }
          if (retained === null) rewrite?.addGap(header);
          else rewrite?.add(retained);
          if (this.#pace.isDue(frame.length)) await this.#pace.rest();
        }
      } finally {
        source.close();
      }
    }
    rewrite?.complete();
    return rewrite;
  }

  /** They count: nothing is discarded any more. */
  keep(): void {
    this.#rewrites.length = 0;
  }

  /** A log that may not be written leaves them where they are: the next open removes them. */
  discard({ isWritable }: LogState): void {
    for (const rewrite of this.#rewrites) {
      if (isWritable) rewrite.discard();
      else rewrite.segment.close();
    }
  }

  #begin([first]: readonly Segment[]): SegmentRewrite {
    const name = { baseOffset: first?.baseOffset ?? 0, generation: this.#generation };
    const rewrite = new SegmentRewrite(this.#context, name, this.#pace.chunkBytes);
    this.#rewrites.push(rewrite);
    return rewrite;
  }

  /** The batches of `segment` before the first that changes. */
  async #copy(segment: Segment, end: number, rewrite: SegmentRewrite): Promise<void> {
    const source = new SegmentSource(this.#context, segment, this.#pace.chunkBytes);
    try {
      while (source.position < end) {
        const found = source.next();
        if (found === null) return;
        if (isGap(found.header)) rewrite.addGap(found.header);
        else rewrite.add(found.frame);
        if (this.#pace.isDue(found.frame.length)) await this.#pace.rest();
      }
    } finally {
      source.close();
    }
  }
}
