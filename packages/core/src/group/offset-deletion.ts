/**
 * Single offsets of a group that somebody deletes, while nobody who is a member reads their topic. Kafka: OffsetDelete (KIP-496).
 */
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { requirePartition, type TopicLookup } from "../offsets/commit-request.ts";
import { offsetRecord } from "../offsets/offset-record.ts";
import type { CommittedEntry } from "../offsets/offset-store.ts";
import { quoted } from "../quoted.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";
import type { ClassicGroup } from "./classic/classic-state.ts";
import { CONSUMER_PROTOCOL_TYPE, subscribedTopics } from "./classic/consumer-protocol.ts";
import { currentGroup, type GroupKinds } from "./group-kinds.ts";
import { groupNotEmpty, unknownGroup } from "./group-refusals.ts";
import { requireGroupId } from "./group-requests.ts";
import { topicsOf } from "./group-state.ts";

export interface OffsetDeletion {
  readonly groupId: string;
  readonly partitions: readonly TopicPartition[];
}

export interface DeletedOffset extends TopicPartition {
  /** What was committed; `null` where nothing was, or where it stays. */
  readonly offset: number | null;
  /** Why it stays; `null`: nothing is committed for it any more. */
  readonly problem: BrokerError | null;
}

export interface DeletionParts {
  readonly topic: CoordinatorTopic<GroupKinds>;
  readonly topicOf: TopicLookup;
}

/**
 * Resolves with what became of each, in order, when that is durable: UNKNOWN_TOPIC, UNKNOWN_PARTITION, GROUP_SUBSCRIBED_TO_TOPIC.
 * Rejects with INVALID_REQUEST, UNKNOWN_GROUP, GROUP_NOT_EMPTY for a group whose members are no consumers, and as
 * CoordinatorShard.write; of many partitions those before have been deleted then.
 */
export async function deleteOffsets(
  { topic, topicOf }: DeletionParts,
  { groupId, partitions }: OffsetDeletion,
  env: Env,
  wait: Wait = {},
): Promise<DeletedOffset[]> {
  requireGroupId(groupId);
  const results: DeletedOffset[] = [];
  for (let first = 0; first === 0 || first < partitions.length; first += LIMITS.offsetsForgottenAtOnce) {
    const some = partitions.slice(first, first + LIMITS.offsetsForgottenAtOnce);
    const decide = (kinds: GroupKinds) => {
      // The first part may have taken all that there was of a group without members.
      if (first === 0) requireGroup(kinds, groupId);
      const { answer, deleted } = judged(kinds, groupId, { some, topicOf });
      const offsets = deleted.map(({ topic, partition, stored }) => {
        return { topic, partition, offset: stored.offset };
      });
      const onAcknowledged = () => env.trace({ kind: "offsets_deleted", groupId, offsets });
      return {
        records: deleted.map((entry) => offsetRecord({ ...entry, stored: null })),
        answer,
        onAcknowledged,
      };
    };
    results.push(...(await topic.write(groupId, decide, wait)));
  }
  return results;
}

function judged(
  kinds: GroupKinds,
  groupId: string,
  { some, topicOf }: { readonly some: readonly TopicPartition[]; readonly topicOf: TopicLookup },
): { readonly answer: readonly DeletedOffset[]; readonly deleted: readonly CommittedEntry[] } {
  const isRead = readTopics(kinds, groupId);
  const entries = new Map(kinds.offset.newest(groupId).map((entry) => [partitionName(entry), entry]));
  const deleted = new Map<string, CommittedEntry>();
  const answer = some.map(({ topic, partition }): DeletedOffset => {
    const problem = refusalFor({ topic, partition }, { groupId, isRead, topicOf });
    const entry = problem === null ? entries.get(partitionName({ topic, partition })) : undefined;
    if (entry !== undefined) deleted.set(partitionName(entry), entry);
    return { topic, partition, offset: entry?.stored.offset ?? null, problem };
  });
  return { answer, deleted: [...deleted.values()] };
}

function refusalFor(
  place: TopicPartition,
  {
    groupId,
    isRead,
    topicOf,
  }: {
    readonly groupId: string;
    readonly isRead: (topic: string) => boolean;
    readonly topicOf: TopicLookup;
  },
): BrokerError | null {
  const { topic } = place;
  try {
    requirePartition(place, topicOf);
  } catch (problem) {
    if (problem instanceof BrokerError) return problem;
    throw problem;
  }
  if (!isRead(topic)) return null;
  const message = `a member of the group ${quoted(groupId)} subscribes to ${quoted(topic)}; expected none`;
  return new BrokerError("GROUP_SUBSCRIBED_TO_TOPIC", message, { topic });
}

function requireGroup(kinds: GroupKinds, groupId: string): void {
  if (kinds.group.occupied(groupId) === null && currentGroup(kinds, groupId).isDead)
    throw unknownGroup(groupId);
}

/** Whether some member subscribes to a topic. Throws GROUP_NOT_EMPTY. */
function readTopics(kinds: GroupKinds, groupId: string): (topic: string) => boolean {
  const classic = kinds.group.occupied(groupId);
  if (classic !== null) return readByClassic(classic);
  const topics = topicsOf(currentGroup(kinds, groupId).members.values());
  return (topic) => topics.has(topic);
}

/** One that says something that nobody understands may read any topic. */
function readByClassic(group: ClassicGroup): (topic: string) => boolean {
  if (group.protocolType !== CONSUMER_PROTOCOL_TYPE) throw groupNotEmpty(group);
  const said = [...group.members.values()].flatMap(({ protocols }) =>
    protocols.map(({ metadata }) => subscribedTopics(metadata)),
  );
  const topics = new Set(said.flatMap((each) => each ?? []));
  return (topic) => topics.has(topic) || said.includes(null);
}
