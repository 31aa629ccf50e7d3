/**
 * What consumers say to one another in a classic group of the protocol type "consumer" (Kafka: ConsumerProtocolSubscription,
 * ConsumerProtocolAssignment). The coordinator goes by none of it; who looks at a group wants to read it, and offsets of topics that
 * somebody subscribes to are not deleted.
 *
 * Every version begins as version 0 does, so that what a newer client adds is passed over (Kafka reads them alike). What is not
 * such bytes is `null`: other programs may call themselves consumers.
 */
import type { Partitions } from "../partition-sets.ts";
import { partitionSet } from "../partition-sets.ts";

export const CONSUMER_PROTOCOL_TYPE = "consumer";

/** The topics of a subscription, sorted, each once. */
export function subscribedTopics(metadata: Buffer): readonly string[] | null {
  return read(metadata, (reader) => {
    const topics = reader.list(() => reader.text());
    return [...new Set(topics)].sort();
  });
}

/** The partitions of an assignment, in order. An empty one has none. */
export function assignedPartitions(assignment: Buffer): Partitions | null {
  if (assignment.length === 0) return [];
  return read(assignment, (reader) => {
    const topics = reader.list(() => {
      const topic = reader.text();
      return reader.list(() => ({ topic, partition: reader.int32() }));
    });
    return partitionSet(topics.flat());
  });
}

/** Bytes that are too few for what they say. */
class TooShort extends Error {}

function read<Value>(bytes: Buffer, take: (reader: PrefixReader) => Value): Value | null {
  try {
    const reader = new PrefixReader(bytes);
    return reader.int16() < 0 ? null : take(reader);
  } catch (problem) {
    if (problem instanceof TooShort) return null;
    throw problem;
  }
}

class PrefixReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#take(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  text(): string {
    const length = this.int16();
    const start = this.#take(length);
    return this.#bytes.toString("utf8", start, start + length);
  }

  /** Each entry takes bytes, so that no count makes it long. */
  list<Entry>(entry: () => Entry): Entry[] {
    const count = this.int32();
    const entries: Entry[] = [];
    while (entries.length < count) entries.push(entry());
    return entries;
  }

  #take(length: number): number {
    const start = this.#position;
    if (length < 0 || start + length > this.#bytes.length) throw new TooShort();
    this.#position += length;
    return start;
  }
}
