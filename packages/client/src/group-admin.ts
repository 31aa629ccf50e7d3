/** What an Admin asks of groups and their committed offsets. */
import type { ParsedResponse } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import { requireCallOptions } from "./client-options.ts";
import type { CommittedOffset } from "./consumer/group/offset-commits.ts";
import { asMiniKafkaError, MiniKafkaError } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { lagOf } from "./offset-lag.ts";
import type { CallOptions, Session } from "./session.ts";
import { type TopicPartition, topicPartitionKey } from "./topic-partition.ts";
import { requireArray } from "./usage.ts";

/** A group by name, with its state, its generation, and how many members it has. */
export type ListedGroup = CamelCased<ParsedResponse<"list_groups">["groups"][number]>;

type Described = CamelCased<ParsedResponse<"describe_group">>;
type DescribedMember = Described["members"][number];

/** A group with its members, and why it was rebalanced last. */
export interface GroupDescription extends Omit<Described, "members"> {
  readonly members: readonly GroupMember[];
}

/** A member with what it has, waits for, and lets go. */
export interface GroupMember extends Omit<DescribedMember, "classic"> {
  /** Of a member of a classic group, such as a Kafka client's consumer; `null` of another. */
  readonly classic: ClassicMemberFacts | null;
}

/** What is known of a member of a classic group. `topics` and `assignment` beside it are read from these bytes where they can be. */
export interface ClassicMemberFacts {
  /** Of a static member. Kafka: group.instance.id. */
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  /** What it says for the group's protocol. */
  readonly metadata: Buffer;
  /** What the leader has given it. */
  readonly assignment: Buffer;
}

/** Which committed offsets are asked for. */
export interface FetchOffsetsOptions extends CallOptions {
  /** One entry for each, in this order. Default: all that the group has committed. */
  readonly partitions?: readonly TopicPartition[] | undefined;
}

/** How far a group is behind in one partition. */
export interface GroupPartitionLag extends TopicPartition {
  /** Where the group goes on reading; `null` when it has committed nothing. */
  readonly committedOffset: number | null;
  /** The end of what is visible; `null` when it could not be had, for which `error` says why. */
  readonly endOffset: number | null;
  /**
   * `null` when one of the two is, and when what is committed lies past the end: whoever reads next goes by its own reset, so that
   * nobody knows how much is to be read.
   */
  readonly lag: number | null;
  /** Who has it; `null` when nobody has. */
  readonly memberId: string | null;
  readonly error: MiniKafkaError | null;
}

/** Fails with what the first of the partitions of __consumer_offsets that cannot be read is refused with. Kafka: ListGroupsResult.all. */
export async function listGroups(session: Session, options?: CallOptions): Promise<readonly ListedGroup[]> {
  const { groups, unreadable } = await session.call("list_groups", {}, options);
  const [first] = unreadable;
  if (first === undefined) return camelCased(groups);
  const { code, message, partition } = first;
  const of = unreadable.length === 1 ? `partition ${partition}` : `${unreadable.length} partitions`;
  throw new MiniKafkaError(code, `${message}; the groups of ${of} of __consumer_offsets cannot be listed`, {
    details: { topic: "__consumer_offsets", partition, others: unreadable.length - 1 },
  });
}

export async function fetchOffsets(
  session: Session,
  groupId: string,
  given: FetchOffsetsOptions = {},
): Promise<readonly CommittedOffset[]> {
  requireCallOptions("fetchOffsets", given, ["partitions"]);
  const { partitions, ...options } = given;
  const asked = partitions?.map(({ topic, partition }) => ({ topic, partition }));
  const fields = { group_id: groupId, ...(asked === undefined ? {} : { partitions: asked }) };
  return camelCased((await session.call("fetch_offsets", fields, options)).offsets);
}

/** What became of a committed offset that was to be deleted. */
export interface DeletedOffset extends TopicPartition {
  /** What was committed; `null` when nothing was, which is as good, and where it stays. */
  readonly offset: number | null;
  /** Why it stays; `null`: nothing is committed any more. */
  readonly error: MiniKafkaError | null;
}

export async function deleteOffsets(
  session: Session,
  groupId: string,
  partitions: readonly TopicPartition[],
  options?: CallOptions,
): Promise<readonly DeletedOffset[]> {
  requireArray("partitions", partitions);
  const deleted: DeletedOffset[] = [];
  for (let begin = 0; begin < partitions.length; begin += LIMITS.offsetsPerCommitMax) {
    const some = partitions.slice(begin, begin + LIMITS.offsetsPerCommitMax);
    const asked = some.map(({ topic, partition }) => ({ topic, partition }));
    const fields = { group_id: groupId, partitions: asked };
    deleted.push(...(await session.call("delete_offsets", fields, options)).partitions.map(deletedOffset));
  }
  return deleted;
}

function deletedOffset(answer: ParsedResponse<"delete_offsets">["partitions"][number]): DeletedOffset {
  const { topic, partition } = answer;
  if (!("code" in answer)) return { topic, partition, offset: answer.offset, error: null };
  return {
    topic,
    partition,
    offset: null,
    error: new MiniKafkaError(answer.code, answer.message, {
      details: { ...answer.details, topic, partition },
    }),
  };
}

export async function describeGroup(
  session: Session,
  groupId: string,
  options?: CallOptions,
): Promise<GroupDescription> {
  const { members, ...group } = camelCased(
    await session.call("describe_group", { group_id: groupId }, options),
  );
  return { ...group, members: members.map(memberOf) };
}

function memberOf({ classic, ...member }: DescribedMember): GroupMember {
  if (classic === null) return { ...member, classic };
  const { metadataB64: metadata, assignmentB64: assignment, ...names } = classic;
  return { ...member, classic: { ...names, metadata, assignment } };
}

/** Every partition that the group has committed to or its members have or wait for, by topic and number. */
export async function groupLag(
  session: Session,
  groupId: string,
  options: CallOptions = {},
): Promise<readonly GroupPartitionLag[]> {
  requireCallOptions("groupLag", options);
  const [{ members }, committed] = await Promise.all([
    describeGroup(session, groupId, options),
    fetchOffsets(session, groupId, options),
  ]);
  const places = new Map<string, TopicPartition>();
  const add = (place: TopicPartition) => places.set(topicPartitionKey(place), place);
  const owners = new Map<string, string>();
  const offsets = new Map(committed.map((one) => [topicPartitionKey(one), one.offset]));
  for (const { topic, partition } of committed) add({ topic, partition });
  for (const { memberId, assignment, revoking, pending } of members) {
    for (const place of [...assignment, ...revoking, ...pending]) add(place);
    for (const place of [...assignment, ...revoking]) owners.set(topicPartitionKey(place), memberId);
  }
  return Promise.all(
    [...places]
      .sort(([, one], [, other]) => byPlace(one, other))
      .map(async ([key, place]) => {
        const committedOffset = offsets.get(key) ?? null;
        const { endOffset, error } = await endOf(session, place, options);
        const lag = committedOffset === null || endOffset === null ? null : lagOf(committedOffset, endOffset);
        return { ...place, committedOffset, endOffset, lag, memberId: owners.get(key) ?? null, error };
      }),
  );
}

async function endOf(
  session: Session,
  { topic, partition }: TopicPartition,
  options: CallOptions | undefined,
): Promise<Pick<GroupPartitionLag, "endOffset" | "error">> {
  try {
    const fields = { topic, partition, timestamp_ms: -1 };
    return { endOffset: (await session.call("list_offsets", fields, options)).offset, error: null };
  } catch (error) {
    return { endOffset: null, error: asMiniKafkaError(error) };
  }
}

function byPlace(one: TopicPartition, other: TopicPartition): number {
  if (one.topic !== other.topic) return one.topic < other.topic ? -1 : 1;
  return one.partition - other.partition;
}
