/**
 * Whether a batch whose bytes are others holds the same as one that was appended before: read from the log, unpacked, compared. The leader
 * may have kept it in another form than it came in, and who makes a batch anew for each attempt may give it other times.
 */
import {
  type BatchHeader,
  type Compression,
  HEADER_BYTES,
  RecordCursor,
  readBatchHeader,
  splitFrames,
} from "@minikafka/record";
import { plainOrNull } from "../log/frames/unpacked.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import type { ProducedBatch } from "../log/producers/producer-state.ts";

/** Byte for byte what a producer sent, or its records but for their times: keys, values and headers, each at its place. */
export type RetryRule = "content" | "records";

/** Where it is looked for. */
export interface LookedUp {
  readonly log: Pick<PartitionLog, "logStartOffset" | "read">;
  readonly compression: Compression | undefined;
  readonly retriesKnownBy: RetryRule;
}

/**
 * Whether `plain`, of the same sequences as `before` and with other bytes, holds the same. Where nobody can say, because records of the
 * batch are gone:
 *
 * - As long as the CRC of what was sent is known, it is not the same. The CRC outlives the records, so that a retry with the same bytes is
 *   never asked about here, and what comes otherwise may be other records, which must not be acknowledged without being anywhere.
 * - Once compaction has taken the CRC away too, the sequences tell it, unless a record that is left says otherwise. A producer that
 *   repeats what it sent, byte for byte, has nothing else to show, and must not be told that it was not written.
 */
export function holdsSame(before: ProducedBatch, plain: Buffer, lookedUp: LookedUp): boolean {
  const isTold = before.contentCrc !== null;
  const byContent = lookedUp.retriesKnownBy === "content";
  if (byContent && !isTold) return true;
  const kept = keptOf(before, lookedUp);
  if (kept === null) return !isTold;
  if (byContent) return kept.subarray(HEADER_BYTES).equals(plain.subarray(HEADER_BYTES));
  const isWhole = readBatchHeader(kept).recordCount === readBatchHeader(plain).recordCount;
  return (isWhole || !isTold) && hasRecordsOf(plain, kept);
}

/** What the log has of the batch, its records plain; `null` where it is gone, or cannot be read. */
function keptOf({ baseOffset, nextOffset }: ProducedBatch, { log, compression }: LookedUp): Buffer | null {
  if (baseOffset < log.logStartOffset) return null;
  const [frame] = splitFrames(log.read(baseOffset, { bytesMax: 0, endOffset: nextOffset }).batches);
  if (frame === undefined) return null;
  const header = readBatchHeader(frame);
  return isAt(header, baseOffset, nextOffset) ? plainOrNull(frame, header, compression) : null;
}

/** A gap that stands for more than this batch is not it. */
function isAt(header: BatchHeader, baseOffset: number, nextOffset: number): boolean {
  return header.baseOffset === baseOffset && header.nextOffset === nextOffset;
}

/** Whether each record of `kept` is in `plain` at the same place, but for its time. Both are in the order of their places. */
function hasRecordsOf(plain: Buffer, kept: Buffer): boolean {
  const sent = new RecordCursor(plain);
  for (const left = new RecordCursor(kept); left.next(); ) {
    do if (!sent.next()) return false;
    while (sent.offsetDelta < left.offsetDelta);
    if (plain.compare(kept, left.offsetStart, left.end, sent.offsetStart, sent.end) !== 0) return false;
  }
  return true;
}
