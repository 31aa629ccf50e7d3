/** Batches as the two npm clients of Kafka write and read them, by their own code and without any broker. */
import { createRequire } from "node:module";
import { createRecordsBatch, NumericMap, Reader, readRecordsBatches } from "@platformatic/kafka";

/** A record as a test means it. */
export interface Meant {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** `null`: the client takes its clock. */
  readonly timestampMs: number | null;
  readonly headers: { readonly [name: string]: Buffer };
}

/** A record as a client has read it. */
export interface Seen {
  readonly offset: number;
  readonly timestampMs: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: { readonly [name: string]: Buffer };
  readonly isControl: boolean;
}

export interface Sender {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly transactionalId: string | null;
  readonly codec: "none" | "gzip";
}

export const NOBODY: Sender = {
  producerId: -1,
  producerEpoch: 0,
  baseSequence: 0,
  transactionalId: null,
  codec: "none",
};

interface Encoded {
  readonly buffer: Buffer;
}

interface KafkaJsMessage {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: { readonly [name: string]: Buffer };
  readonly isControlRecord: boolean;
}

// kafkajs has no door to its codec, and types none of it.
const load = createRequire(import.meta.url);
const produceRequest: (content: object) => { encode(): Promise<Encoded> } = load(
  "kafkajs/src/protocol/requests/produce/v3/request",
);
const Decoder: new (bytes: Buffer) => object = load("kafkajs/src/protocol/decoder");
const decodeMessages: (decoder: object) => Promise<KafkaJsMessage[]> = load(
  "kafkajs/src/protocol/requests/fetch/v4/decodeMessages",
);

/** The whole body of a Produce request of version 3, which has one topic "t" with partition 0. */
export async function produceOfKafkaJs(records: readonly Meant[], sender: Sender): Promise<Buffer> {
  const messages = records.map(({ timestampMs, ...rest }) => ({
    ...rest,
    ...(timestampMs !== null && { timestamp: String(timestampMs) }),
  }));
  const partition = { partition: 0, firstSequence: sender.baseSequence, messages };
  const request = produceRequest({
    acks: -1,
    timeout: 1000,
    transactionalId: sender.transactionalId,
    producerId: sender.producerId,
    producerEpoch: sender.producerEpoch,
    compression: sender.codec === "gzip" ? 1 : 0,
    topicData: [{ topic: "t", partitions: [partition] }],
  });
  return (await request.encode()).buffer;
}

export async function readByKafkaJs(batches: Buffer): Promise<Seen[]> {
  const size = Buffer.alloc(4);
  size.writeInt32BE(batches.length);
  const messages = await decodeMessages(new Decoder(Buffer.concat([size, batches])));
  return messages.map(({ offset, timestamp, key, value, headers, isControlRecord }) => ({
    offset: Number(offset),
    timestampMs: Number(timestamp),
    key,
    value,
    headers,
    isControl: isControlRecord,
  }));
}

export function batchOfPlatformatic(records: readonly Meant[], sender: Sender): Buffer {
  const messages = records.map(({ key, value, timestampMs, headers }) => ({
    topic: "t",
    partition: 0,
    ...(key !== null && { key }),
    // It writes a tombstone as well, which its type does not know.
    value: value as Buffer,
    headers: new Map(Object.entries(headers).map(([name, bytes]) => [Buffer.from(name), bytes])),
    ...(timestampMs !== null && { timestamp: BigInt(timestampMs) }),
  }));
  const writer = createRecordsBatch(messages, {
    compression: sender.codec,
    producerId: BigInt(sender.producerId),
    producerEpoch: sender.producerEpoch,
    ...(sender.transactionalId !== null && { transactionalId: sender.transactionalId }),
    sequences: new NumericMap([["t:0", sender.baseSequence]]),
  });
  return Buffer.from(writer.buffer);
}

export function readByPlatformatic(batches: Buffer): Seen[] {
  return readRecordsBatches(Reader.from(batches)).flatMap((batch) =>
    batch.records.map((record) => ({
      offset: Number(batch.firstOffset) + record.offsetDelta,
      timestampMs: Number(
        (batch.attributes & 0x08) === 0 ? batch.firstTimestamp + record.timestampDelta : batch.maxTimestamp,
      ),
      key: record.key,
      value: record.value,
      headers: Object.fromEntries(
        record.headers.map(([name, value]) => [String(name), value ?? Buffer.alloc(0)]),
      ),
      isControl: (batch.attributes & 0x20) !== 0,
    })),
  );
}
