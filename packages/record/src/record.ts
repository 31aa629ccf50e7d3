/** A header: a name and bytes. Order and repeated names are kept, as in Kafka (KIP-82). */
export interface RecordHeader {
  readonly key: string;
  /** `null` means absent; empty bytes are a value. */
  readonly value: Uint8Array | null;
}

/** What a producer hands over: bytes, a time and headers. A `null` value is a tombstone for its key. */
export interface Record {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** Milliseconds since 1970, 0 to {@link TIMESTAMP_MS_MAX}. */
  readonly timestampMs: number;
  readonly headers: readonly RecordHeader[];
}

/** A record that has taken its place in a partition. */
export interface StoredRecord extends Record {
  readonly offset: number;
}

/** The largest time that a JavaScript date can hold; a larger one is refused. */
export const TIMESTAMP_MS_MAX = 8_640_000_000_000_000;

/** Records of one batch: it is read in one go, and so is the line of JSON that asks for it. Kafka bounds its bytes alone. */
export const RECORDS_PER_BATCH_MAX = 100_000;

/** Headers of one record, and of one batch: small on the wire, dear in memory. Kafka bounds neither. */
export const HEADERS_PER_RECORD_MAX = 1_000;
export const HEADERS_PER_BATCH_MAX = 100_000;

/** Of a record to which its producer gave no time, as Kafka's clients may (Kafka: RecordBatch.NO_TIMESTAMP). */
export const NO_TIMESTAMP_MS = -1;

/** True for a whole number of milliseconds since 1970 that a date can hold. */
export function isTimestampMs(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= TIMESTAMP_MS_MAX;
}

/** True for what a record that lies in a batch may carry: a time, or none. */
export function isRecordTimestampMs(value: number): boolean {
  return value === NO_TIMESTAMP_MS || isTimestampMs(value);
}
