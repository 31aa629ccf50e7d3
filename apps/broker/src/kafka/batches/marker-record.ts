/**
 * The record of a transaction's marker in exactly Kafka's bytes (EndTransactionMarker, version 0). Ours has an offset more at the
 * end of its value, by which the log's own index is made anew; no client knows it, and none has to read past what it knows.
 */
import { HEADER_BYTES, RecordCursor, readBatchHeader } from "@minikafka/record";

/** Version i16 and the coordinator's epoch i32. */
const VALUE_BYTES = 6;
/** A record of fewer bytes tells its length in one, as a zigzag varint of twice the number. */
const ONE_BYTE_LENGTH_MAX = 63;

/** `frame` is a marker's, as the log has it. What does not look like one that a broker of ours wrote is left as it is. */
export function markerRecord(frame: Buffer): Buffer {
  const section = frame.subarray(HEADER_BYTES, readBatchHeader(frame).frameBytes);
  const cursor = new RecordCursor(frame);
  const bodyBytes = section.length - 1;
  if (!cursor.next() || cursor.end !== frame.length || bodyBytes > ONE_BYTE_LENGTH_MAX) return section;
  const valueStart = cursor.keyEnd + 1;
  const surplus = cursor.headersStart - valueStart - VALUE_BYTES;
  const hasHeaders = cursor.headersStart + 1 !== cursor.end;
  if (!cursor.hasKey || !cursor.hasValue || surplus <= 0 || hasHeaders) return section;
  const valueEnd = valueStart - HEADER_BYTES + VALUE_BYTES;
  const record = Buffer.alloc(section.length - surplus);
  section.copy(record, 0, 0, valueEnd);
  record.writeUInt8(2 * (bodyBytes - surplus), 0);
  record.writeUInt8(2 * VALUE_BYTES, cursor.keyEnd - HEADER_BYTES);
  return record;
}
