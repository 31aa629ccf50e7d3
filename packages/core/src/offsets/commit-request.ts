/** What a group's offsets are asked for, and what of it can be refused without knowing the group. */
import { characterCount } from "../character-count.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";

export interface NewOffset extends TopicPartition {
  /** Of the next record to be read. A negative one is kept as it is, as in Kafka, whose clients read it as none. */
  readonly offset: number;
  /** A note of the committer's, of at most `offsetMetadataLengthMax` characters. */
  readonly metadata: string | null;
  /** The topic that the offset was read of; left out, the one that has the name now. */
  readonly topicId?: string | undefined;
}

export interface Committer {
  readonly memberId: string;
  /** Below 0, of somebody who is no member (Kafka: -1), as `null` is. */
  readonly generation: number;
  /** Of a static member of a classic group (KIP-345). */
  readonly groupInstanceId?: string | null | undefined;
}

export interface CommitRequest {
  readonly groupId: string;
  /** Who commits; `null` for a consumer that is no member, which a group without members takes. */
  readonly member: Committer | null;
  readonly offsets: readonly NewOffset[];
}

/** A topic as far as offsets in it go. */
export interface TopicFacts {
  readonly topicId: string;
  readonly partitions: number;
}

/** The topic of that name, or `null`. */
export type TopicLookup = (topic: string) => TopicFacts | null;

/** Throws INVALID_REQUEST for what can be no offset or no note, and for a partition that is named twice: which of the two counts? */
export function requireOffsets(offsets: readonly NewOffset[]): void {
  const named = new Set<string>();
  for (const offset of offsets) {
    requireOffset(offset);
    const name = partitionName(offset);
    if (named.has(name))
      throw new BrokerError("INVALID_REQUEST", `${name} is named twice; expected each partition once`);
    named.add(name);
  }
}

function requireOffset({ offset, metadata, ...place }: NewOffset): void {
  if (!Number.isSafeInteger(offset)) {
    const message = `the offset of ${partitionName(place)} is ${offset}; expected a whole number`;
    throw new BrokerError("INVALID_REQUEST", message);
  }
  const { offsetMetadataLengthMax } = LIMITS;
  if (metadata === null) return;
  const length = characterCount(metadata);
  if (length <= offsetMetadataLengthMax && metadata.isWellFormed()) return;
  throw new BrokerError(
    "INVALID_REQUEST",
    `the metadata of ${partitionName(place)} has ${length} characters; expected at most ${offsetMetadataLengthMax} of well-formed text`,
  );
}

/**
 * The topic of an offset's partition, which is there. Throws UNKNOWN_TOPIC, also when the offset is one of an older topic of that
 * name (Kafka: UNKNOWN_TOPIC_ID), and UNKNOWN_PARTITION.
 */
export function requirePartition(
  { topic, partition, topicId }: Omit<NewOffset, "offset" | "metadata">,
  topicOf: TopicLookup,
): TopicFacts {
  const facts = topicOf(topic);
  if (facts === null) throw new BrokerError("UNKNOWN_TOPIC", `there is no topic ${quoted(topic)}`, { topic });
  if (topicId !== undefined && topicId !== facts.topicId) throw anotherTopic(topic, topicId, facts);
  const { partitions } = facts;
  if (Number.isInteger(partition) && partition >= 0 && partition < partitions) return facts;
  const message = `there is no partition ${partition} in ${quoted(topic)}; expected 0 to ${partitions - 1}`;
  throw new BrokerError("UNKNOWN_PARTITION", message, { topic, partition, partitions });
}

/** An offset of one topic means nothing in another one that has its name now. */
export function anotherTopic(
  topic: string,
  seen: string,
  { topicId }: Pick<TopicFacts, "topicId">,
): BrokerError {
  const message = `the topic ${quoted(topic)} was made anew: its id is ${topicId}, and the offset is one of ${quoted(seen)}`;
  return new BrokerError("UNKNOWN_TOPIC", message, { topic, topic_id: topicId, topic_id_seen: seen });
}
