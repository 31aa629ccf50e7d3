/** What a caller sends, and its way into a record: text becomes UTF-8, what is left out becomes null or now. */
import { HEADER_BYTES, isTimestampMs, type Record, type RecordHeader, recordBytes } from "@minikafka/record";
import { MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { fieldNames, requireKnown, usageError } from "../usage.ts";
import type { Delivery } from "./delivery.ts";
import { heldBytesOf } from "./held-bytes.ts";
import { requireMemory } from "./payload-bytes.ts";
import type { PendingRecord } from "./producer-batch.ts";

/** Text is sent as UTF-8. Bytes are not copied: leave them as they are, and keep their memory, until the send has settled. */
export type Payload = string | Uint8Array;

/** A header to send; names may repeat. */
export interface ProducedHeader {
  readonly key: string;
  /** Left out or `null`: absent, which is not the same as empty. */
  readonly value?: Payload | null | undefined;
}

/** What a producer sends: of text or bytes, or of what its serializers take. Without a value it may have no other field than these: a misspelt value would be a tombstone. */
export interface ProducedRecord<K = Payload, V = Payload> {
  readonly topic: string;
  /** Left out or `null`: no key; the record goes to the partition that keyless records stick to. */
  readonly key?: K | null | undefined;
  /** Left out or `null`: a tombstone for the key; "" is a value of no bytes. */
  readonly value?: V | null | undefined;
  /** Order and repeated names are kept. */
  readonly headers?: readonly ProducedHeader[] | undefined;
  /** Left out: the partitioner chooses. */
  readonly partition?: number | undefined;
  /** Milliseconds since 1970. Left out: now. */
  readonly timestampMs?: number | undefined;
}

const RECORD_FIELDS = fieldNames<ProducedRecord>({
  topic: true,
  key: true,
  value: true,
  headers: true,
  partition: true,
  timestampMs: true,
});

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([]);

/** Throws USAGE for what is no object at all, such as a value alone. */
export function requireRecord(given: unknown): void {
  if (typeof given === "object" && given !== null) return;
  throw usageError(`a record is ${given === null ? "null" : typeof given}; expected { topic, key?, value }`);
}

export function noRecords(): MiniKafkaError {
  return usageError("sendMany takes an array of records, { topic, key?, value } each");
}

/** What the records of one call have in common. */
export interface AcceptedAs {
  readonly delivery: Delivery;
  readonly nowMs: number;
  readonly batchBytesMax: number;
}

/**
 * The record to send. Throws USAGE for what is no record at all, and INVALID_RECORD or RECORD_TOO_LARGE for what no batch of
 * `batchBytesMax` can hold, so that it fails alone and not with the records that it would have travelled with.
 */
export function toPendingRecord(input: ProducedRecord, slot: number, as: AcceptedAs): PendingRecord {
  checkFields(input);
  const { timestampMs = as.nowMs, headers: given } = input;
  const key = toBytes(input.key, "key");
  const value = toBytes(input.value, "value");
  if (given !== undefined && !Array.isArray(given))
    throw usageError(`headers is ${typeof given}; expected an array of { key, value? }`);
  const headers = given === undefined || given.length === 0 ? NO_HEADERS : given.map(toHeader);
  checkHeaderCount(headers);
  const heldBytes = heldBytesOf(key, value, headers);
  const record = { key, value, timestampMs, headers, delivery: as.delivery, slot, heldBytes };
  // The exact size is never more than what is held, so it is computed only for what comes near the limit.
  if (HEADER_BYTES + heldBytes > as.batchBytesMax) checkSize(record, as.batchBytesMax);
  return record;
}

/** Topic, partition and time; and the names of all when there is no value, not of each record, since that takes its time. */
function checkFields(input: ProducedRecord): void {
  const { topic, partition, timestampMs } = input;
  if (input.value === undefined) requireKnown("a record", input, RECORD_FIELDS);
  if (typeof topic !== "string" || topic === "") throw usageError("topic is missing");
  if (partition !== undefined && (!Number.isSafeInteger(partition) || partition < 0))
    throw usageError(`partition is ${partition}; expected an integer of at least 0`);
  if (timestampMs !== undefined && !isTimestampMs(timestampMs))
    throw usageError(`timestampMs is ${timestampMs}; expected whole milliseconds since 1970`);
}

/** A record that is bytes already: nothing has to be made of it before it is encoded. */
export interface PlainInput extends ProducedRecord {
  readonly key?: Uint8Array | null | undefined;
  readonly value?: Uint8Array | null | undefined;
}

export function isPlain(input: ProducedRecord): input is PlainInput {
  const { key, value, headers } = input;
  return (
    (value === undefined || value === null || value instanceof Uint8Array) &&
    (key === undefined || key === null || key instanceof Uint8Array) &&
    (headers === undefined || headers.length === 0)
  );
}

/** One plain record after the other, in the same object. */
export class PlainRecord implements PendingRecord {
  key: Uint8Array | null = null;
  value: Uint8Array | null = null;
  timestampMs: number;
  readonly headers = NO_HEADERS;
  readonly delivery: Delivery;
  slot = 0;
  heldBytes = 0;
  readonly #as: AcceptedAs;

  constructor(as: AcceptedAs) {
    this.#as = as;
    this.delivery = as.delivery;
    this.timestampMs = as.nowMs;
  }

  /** From now on this is `input`, of which {@link toPendingRecord} would make the same. Throws as that does. */
  become(input: PlainInput, slot: number): this {
    checkFields(input);
    this.key = input.key ?? null;
    this.value = input.value ?? null;
    requireMemory("key", this.key);
    requireMemory("value", this.value);
    this.timestampMs = input.timestampMs ?? this.#as.nowMs;
    this.slot = slot;
    this.heldBytes = heldBytesOf(this.key, this.value, NO_HEADERS);
    const { batchBytesMax } = this.#as;
    if (HEADER_BYTES + this.heldBytes > batchBytesMax) checkSize(this, batchBytesMax);
    return this;
  }
}

function toHeader(header: ProducedHeader): RecordHeader {
  if (typeof header?.key !== "string") throw usageError("a header's key is not text");
  if (!header.key.isWellFormed())
    throw usageError("a header's key has half a surrogate pair, which has no UTF-8");
  if (header.value === undefined) requireKnown("a header", header, ["key", "value"]);
  return { key: header.key, value: toBytes(header.value, "a header's value") };
}

function toBytes(payload: Payload | null | undefined, what: string): Uint8Array | null {
  if (payload === undefined || payload === null) return null;
  if (typeof payload === "string") {
    if (!payload.isWellFormed()) throw usageError(`${what} has half a surrogate pair, which has no UTF-8`);
    return Buffer.from(payload);
  }
  if (payload instanceof Uint8Array) {
    requireMemory(what, payload);
    return payload;
  }
  throw usageError(`${what} is ${typeof payload}; expected text, bytes or null`);
}

function checkHeaderCount(headers: readonly RecordHeader[]): void {
  if (headers.length <= LIMITS.headersPerRecordMax) return;
  const message = `the record has ${headers.length} headers; at most ${LIMITS.headersPerRecordMax} are taken`;
  throw new MiniKafkaError("INVALID_RECORD", message);
}

function checkSize(record: Record, batchBytesMax: number): void {
  const bytes = HEADER_BYTES + recordBytes(record, 0, record.timestampMs);
  if (bytes <= batchBytesMax) return;
  const message = `the record alone makes a batch of ${bytes} bytes; at most ${batchBytesMax} are sent`;
  throw new MiniKafkaError("RECORD_TOO_LARGE", message, { details: { bytes, batchBytesMax } });
}
