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

/** Kafka: partition.assignment.strategy (RoundRobinAssignor, RangeAssignor, StickyAssignor). */
export const assignor = z
  .enum(["roundrobin", "range", "sticky"])
  .describe("how the partitions are shared out; all members of a group ask for the same");

/** Kafka: offset.metadata.max.bytes, 4096. */
const metadataLengthMax = 4096;

export const commitOffset = z.strictObject({
  topic: fields.topic,
  partition: fields.partition,
  offset: fields.offset.describe("of the next record to be read, so one more than of the last one done"),
  metadata: fields.wellFormedText
    .max(metadataLengthMax)
    .nullable()
    .default(null)
    .describe("a note that the committer leaves; null for none"),
});

export const committedOffset = z.object({
  topic: z.string(),
  partition: z.int(),
  offset: fields.offset.nullable().describe("null when nothing is committed"),
  metadata: z
    .string()
    .max(metadataLengthMax)
    .nullable()
    .describe("a note that the committer left; null for none"),
  committed_ms: z.int().nullable().describe("when; null when nothing is committed"),
});

/** What every answer to a member says. */
export const memberView = z.object({
  generation,
  member_since: generation.describe(
    "the generation that began when the member joined; another one than before says that it was expired in between, and lost what it had",
  ),
  assignment: z.array(topicPartition).describe("what the member may own now"),
  pending: z
    .array(topicPartition)
    .describe("what it gets once its former owners have let go, or are expired"),
});

/** Kafka's GroupState (KIP-848), without Assigning: targets are computed at once. */
export const groupState = z.enum(["empty", "reconciling", "stable"]);
