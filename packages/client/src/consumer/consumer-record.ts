/** A record as a consumer hands it out. */
import type { BatchHeader, MakeRecord } from "@minikafka/record";
import type { TopicPartition } from "../topic-partition.ts";

/** A header of a record; names may repeat. */
export interface ConsumerHeader {
  readonly key: string;
  /** `null` is absent; an empty buffer is a value. */
  readonly value: Buffer | null;
}

/** What a consumer hands out: bytes, or what its deserializers make of them. Key, value and header values are views of the fetched bytes: copy what is kept for long, or it keeps a whole fetch alive. */
export interface ConsumerRecord<K = Buffer, V = Buffer> {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** `null`: the record has none. */
  readonly key: K | null;
  /** `null` is a tombstone; an empty buffer is a value. */
  readonly value: V | null;
  /** Since 1970; -1 where a client of Kafka's gave none. */
  readonly timestampMs: number;
  /** Whose time that is: "create" its producer's, "append" the leader's (message_timestamp_type, KIP-32). */
  readonly timestampType: "create" | "append";
  /** In the order in which they were sent, repeated names included. */
  readonly headers: readonly ConsumerHeader[];
}

/** Makes the records of one batch. */
export function consumerRecords(
  { topic, partition }: TopicPartition,
  { timestampType }: BatchHeader,
): MakeRecord<ConsumerRecord> {
  return (offset, timestampMs, key, value, headers) => ({
    topic,
    partition,
    offset,
    key,
    value,
    timestampMs,
    timestampType,
    // The decoder hands out views of a Buffer, which the type of headers, shared with encoders, does not say.
    headers: headers as readonly ConsumerHeader[],
  });
}
