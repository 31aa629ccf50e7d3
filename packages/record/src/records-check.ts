/**
 * Whether the records of a batch are what its header says. What a producer sends is checked before a leader takes it;
 * what lies in a log may have lost records to compaction since.
 */
import { isUtf8 } from "node:buffer";
import { type BatchHeader, HEADER_BYTES, readBatchHeader } from "./batch-header.ts";
import {
  HEADERS_PER_BATCH_MAX,
  HEADERS_PER_RECORD_MAX,
  isRecordTimestampMs,
  NO_TIMESTAMP_MS,
} from "./record.ts";
import { RecordCursor } from "./record-cursor.ts";
import { MalformedVarint, VarintReader } from "./varint.ts";

/**
 * Why a producer's records cannot be taken, or `null`: each must be whole, the offset deltas 0, 1, 2 …, the header's
 * count, last delta and times those of the records; with `requiresKeys` each has a key. Makes no object of a record, since it runs for each batch that is
 * appended; without it, a batch with a right CRC and a wrong inside would reach every consumer.
 */
export function recordsProblem(frame: Buffer, { requiresKeys = false } = {}): string | null {
  const header = readBatchHeader(frame);
  if (header.codec !== "none")
    return `the records are compressed (${header.codec ?? "unknown codec"}); expected none`;
  if (header.deleteHorizonMs !== null) return "the batch has a delete horizon, which only compaction gives";
  if (header.recordCount === 0) return "the batch holds no record";
  if (header.lastOffsetDelta !== header.recordCount - 1) {
    return `last offset delta is ${header.lastOffsetDelta} for ${header.recordCount} records`;
  }
  return walkProblem(frame, header, (cursor, index) => {
    if (cursor.offsetDelta !== index) return `record ${index} has offset delta ${cursor.offsetDelta}`;
    if (requiresKeys && !cursor.hasKey)
      return `record ${index} has no key; expected one in each record of a compacted topic`;
    return null;
  });
}

/**
 * Why the records of a whole, uncompressed frame cannot be those of a log, or `null`. Compaction takes records out: it
 * leaves the offsets and times of the others, and may leave none.
 */
export function storedRecordsProblem(frame: Buffer): string | null {
  const header = readBatchHeader(frame);
  let before = -1;
  return walkProblem(frame, header, ({ offsetDelta }, index) => {
    if (offsetDelta <= before || offsetDelta > header.lastOffsetDelta)
      return `record ${index} has offset delta ${offsetDelta}; expected ${before + 1} to ${header.lastOffsetDelta}`;
    before = offsetDelta;
    return null;
  });
}

/** What every batch's records must be like, and each must be that `judge` finds nothing in. */
function walkProblem(
  frame: Buffer,
  header: BatchHeader,
  judge: (cursor: RecordCursor, index: number) => string | null,
): string | null {
  const cursor = new RecordCursor(frame);
  const headers = new HeadersWalk(frame);
  let maxTimestampMs = NO_TIMESTAMP_MS;
  try {
    for (let index = 0; cursor.next(); index += 1) {
      const timestampMs = header.firstTimestampMs + cursor.timestampDelta;
      if (!isRecordTimestampMs(timestampMs)) return `record ${index} has timestamp ${timestampMs}`;
      const problem = judge(cursor, index);
      if (problem !== null) return problem;
      headers.walk(cursor, index);
      if (timestampMs > maxTimestampMs) maxTimestampMs = timestampMs;
    }
  } catch (error) {
    if (error instanceof MalformedVarint) return error.message;
    throw error;
  }
  if (cursor.end !== header.frameBytes)
    return `${header.frameBytes - cursor.end} bytes follow the last record`;
  // An append time is the leader's, and says nothing of the times that the records keep.
  if (header.timestampType === "create" && header.recordCount > 0 && maxTimestampMs !== header.maxTimestampMs)
    return `max timestamp is ${header.maxTimestampMs}, expected ${maxTimestampMs}`;
  return null;
}

/** The headers of the records of one batch, which are bounded together. */
class HeadersWalk {
  readonly #frame: Buffer;
  readonly #reader: VarintReader;
  #met = 0;

  constructor(frame: Buffer) {
    this.#frame = frame;
    this.#reader = new VarintReader(frame, HEADER_BYTES, frame.length);
  }

  /** Throws {@link MalformedVarint} unless they are well formed and end where their record does. */
  walk({ headersStart, end }: RecordCursor, index: number): void {
    // Most records have none.
    if (this.#frame[headersStart] === 0 && headersStart + 1 === end) return;
    const reader = this.#reader;
    reader.position = headersStart;
    const count = reader.next();
    if (count < 0 || count > HEADERS_PER_RECORD_MAX)
      throw new MalformedVarint(
        `record ${index} has ${count} headers; expected at most ${HEADERS_PER_RECORD_MAX}`,
      );
    this.#met += count;
    if (this.#met > HEADERS_PER_BATCH_MAX)
      throw new MalformedVarint(`the batch has more than ${HEADERS_PER_BATCH_MAX} headers`);
    for (let header = 0; header < count; header += 1) this.#walkOne(index);
    if (reader.position !== end)
      throw new MalformedVarint(`record ${index} ends at ${reader.position}, not at ${end}`);
  }

  #walkOne(index: number): void {
    const keyBytes = this.#reader.next();
    const start = this.#take(keyBytes);
    // Its name is text, and would come out as another text.
    if (!isUtf8(this.#frame.subarray(start, start + keyBytes)))
      throw new MalformedVarint(`a header of record ${index} has a name that is not UTF-8`);
    const valueBytes = this.#reader.next();
    if (valueBytes !== -1) this.#take(valueBytes);
  }

  #take(length: number): number {
    const start = this.#reader.position;
    if (length < 0 || start + length > this.#reader.end)
      throw new MalformedVarint(
        `a field of ${length} bytes at ${start} runs past the end at ${this.#reader.end}`,
      );
    this.#reader.position = start + length;
    return start;
  }
}
