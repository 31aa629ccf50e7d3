/**
 * One log as it is read by who only looks: a program that asks what is there, a view of everything, a step that is only foretold.
 *
 * Never: a file written, an index made or kept, a point passed at which something can be told to fail, an event. Where an index is missing, or
 * leads astray, a read begins at the first batch of its segment instead.
 */
import { onDisk } from "../../env/disk-answer.ts";
import { requireInRange } from "../context/log-range.ts";
import type { AbortedTransaction } from "../indexes/aborted-index.ts";
import { findAborted } from "../lookup/aborted-search.ts";
import type { ReadBatches, ReadLimits } from "../segment/segment-reader.ts";
import type { LogParts } from "./log-parts.ts";

const NO_BYTES = Buffer.alloc(0);

export class LogLook {
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly #parts: Pick<LogParts, "context" | "segments" | "state">;

  /** Of this instant: a log that changes later is looked at anew. */
  constructor(
    parts: Pick<LogParts, "context" | "segments" | "state">,
    { logStartOffset, logEndOffset }: { readonly logStartOffset: number; readonly logEndOffset: number },
  ) {
    this.logStartOffset = logStartOffset;
    this.logEndOffset = logEndOffset;
    this.#parts = parts;
  }

  /** As LogReads.read. */
  read(offset: number, limits: ReadLimits): ReadBatches {
    const { segments, state } = this.#parts;
    state.requireReadable();
    requireInRange(offset, this);
    const endOffset = Math.min(limits.endOffset, this.logEndOffset);
    if (offset >= endOffset) return { batches: NO_BYTES, nextOffset: offset };
    const segment = segments.holding(offset);
    return onDisk(segment.path, () => segment.peek(offset, { bytesMax: limits.bytesMax, endOffset }));
  }

  /** As LogReads.abortedTransactions. */
  abortedTransactions(fromOffset: number, endOffset: number): readonly AbortedTransaction[] {
    const { context, segments, state } = this.#parts;
    state.requireReadable();
    return onDisk(context.folder, () => findAborted(segments, { fromOffset, endOffset }, "peekAborted"));
  }
}
