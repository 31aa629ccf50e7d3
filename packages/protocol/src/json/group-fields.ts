/** Schemas of the fields that the operations of consumer groups share. */
import { z } from "zod";
import * as fields from "./fields.ts";

/** Names that people and programs choose. Kafka bounds neither; ours stand in records' keys and on the command line. */
const name = fields.wellFormedText.min(1).max(255);

export const groupId = name.describe("the group's name (Kafka: group.id)");
export const memberId = name.describe("the member's name, one for each consumer that runs");
export const generation = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .describe("counts the changes of the group's membership; what is older is refused");

export const topicPartition = z.strictObject({ topic: fields.topic, partition: fields.partition });

/** Kafka: topic ids (KIP-516). */
export const topicId = z
  .string()
  .min(1)
  .max(255)
  .describe("the topic's identity: one that is deleted and made anew under its name has another");

/** A partition of a member's, as KIP-848 tells it: the same number of a topic that was made anew is another partition. */
const assignedPartition = topicPartition.extend({ topic_id: topicId });

/** What a member says that it has; an entry of its assignment may be said back as it is. */
export const ownedPartition = () =>
  topicPartition.extend({
    topic_id: topicId
      .optional()
      .describe("as the assignment says it; what is of another topic is not the member's"),
  });

/** Kafka: partition.assignment.strategy (RoundRobinAssignor, RangeAssignor, StickyAssignor). */
export const assignor = z
  .enum(["roundrobin", "range", "sticky"])
  .describe("how the partitions are shared out; all members of a group ask for the same");

/** Kafka: offset.metadata.max.bytes, 4096. */
const metadataLengthMax = 4096;

export const commitOffset = () =>
  z.strictObject({
    topic: fields.topic,
    partition: fields.partition,
    offset: fields.offset.describe("of the next record to be read, so one more than of the last one done"),
    metadata: fields.wellFormedText
      .max(metadataLengthMax)
      .nullable()
      .default(null)
      .describe("a note that the committer leaves; null for none"),
    topic_id: topicId
      .optional()
      .describe(
        "as the assignment says it: refused with UNKNOWN_TOPIC when the topic of that name is another one now; left out, whichever there is",
      ),
  });

export const committedOffset = () =>
  z.object({
    topic: z.string(),
    partition: z.int(),
    offset: fields.offset
      .nullable()
      .describe(
        "null when nothing is committed, or a negative offset by a client of Kafka's that begins anew",
      ),
    metadata: z
      .string()
      .max(metadataLengthMax)
      .nullable()
      .describe("a note that the committer left; null for none"),
    committed_ms: z.int().nullable().describe("when; null when nothing is committed"),
  });

/** What every answer to a member says. */
export const memberView = () =>
  z.object({
    generation,
    member_since: generation.describe(
      "the generation that began when the member joined; another one than before says that it was expired in between, and lost what it had",
    ),
    assignment: z.array(assignedPartition).describe("what the member may own now"),
    pending: z
      .array(assignedPartition)
      .describe("what it gets once its former owners have let go, or are expired"),
  });

/** Kafka's GroupState (KIP-848), without Assigning: targets are computed at once; and ClassicGroupState. */
export const groupState = z
  .enum(["empty", "reconciling", "preparing_rebalance", "completing_rebalance", "stable"])
  .describe(
    "reconciling of a consumer group; preparing_rebalance and completing_rebalance of a classic one: its members are to join again, its leader is to assign",
  );

/** Kafka's GroupType. */
export const groupType = z
  .enum(["consumer", "classic"])
  .describe("who shares partitions out: the coordinator, or the members of Kafka clients among themselves");

export const protocolType = z
  .string()
  .nullable()
  .describe("what the members call themselves, such as consumer; null when there never were any");
