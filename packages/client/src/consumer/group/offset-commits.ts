/** The requests about committed offsets, in the SDK's terms. */
import type { RequestFields } from "@minikafka/protocol";
import { type CommitDiagnostics, traced } from "../../diagnostics.ts";
import { LIMITS } from "../../limits.ts";
import type { CallOptions, Session } from "../../session.ts";
import { type TopicPartition, topicPartitionKey } from "../../topic-partition.ts";
import { checkedInteger, requireArray, usageError } from "../../usage.ts";

/** Where a group is to go on. */
export interface OffsetToCommit extends TopicPartition {
  /** Of the next record to be read: one more than of the last one done. */
  readonly offset: number;
  /** A note for whoever reads it, at most 4096 characters. */
  readonly metadata?: string | null | undefined;
}

/** What a group has committed of a partition. */
export interface CommittedOffset extends TopicPartition {
  /** `null` when nothing is committed. */
  readonly offset: number | null;
  readonly metadata: string | null;
  /** When; `null` when nothing is committed. */
  readonly committedMs: number | null;
}

/** What goes into a request: also which topic of that name the offset was read of, where that is known. */
export interface IdentifiedOffset extends OffsetToCommit {
  readonly topicId?: string | null;
}

export interface Committer {
  readonly memberId: string;
  readonly generation: number;
}

/** Throws USAGE for what cannot be offsets to commit. */
export function checkOffsets(offsets: readonly OffsetToCommit[]): void {
  if (!Array.isArray(offsets))
    throw usageError("offsets are no array; expected [{ topic, partition, offset }]");
  const keys = new Set(offsets.map(topicPartitionKey));
  if (keys.size < offsets.length) throw usageError("an offset of one partition is given twice");
  for (const { partition, offset } of offsets) {
    checkedInteger("partition", partition, 0);
    checkedInteger("offset", offset, 0);
  }
}

/** What commits the offsets, directly or in a transaction: up to 10,000 in a request. Without a member: as nobody's. */
export function offsetRequests(
  groupId: string,
  member: Committer | null,
  offsets: readonly IdentifiedOffset[],
): RequestFields<"commit_offsets">[] {
  const from = member === null ? {} : { member_id: member.memberId, generation: member.generation };
  const requests: RequestFields<"commit_offsets">[] = [];
  for (let begin = 0; begin < offsets.length; begin += LIMITS.offsetsPerCommitMax) {
    const some = offsets.slice(begin, begin + LIMITS.offsetsPerCommitMax).map(wireOffset);
    requests.push({ group_id: groupId, ...from, offsets: some });
  }
  return requests;
}

function wireOffset({ topic, partition, offset, metadata = null, topicId = null }: IdentifiedOffset) {
  const fields = { topic, partition, offset, metadata };
  return topicId === null ? fields : { ...fields, topic_id: topicId };
}

/** All of the offsets or none, as far as one request takes them. */
export async function commitOffsets(
  session: Session,
  groupId: string,
  member: Committer | null,
  offsets: readonly IdentifiedOffset[],
  options?: CallOptions,
): Promise<void> {
  requireArray("offsets", offsets);
  for (const fields of offsetRequests(groupId, member, offsets))
    await traced(
      "minikafka:commit",
      () => commitDiagnostics(fields, null),
      () => session.call("commit_offsets", fields, options),
    );
}

/** What is told of a request that commits offsets. */
export function commitDiagnostics(
  fields: RequestFields<"commit_offsets">,
  transactionalId: string | null,
): CommitDiagnostics {
  const { group_id: groupId, member_id: memberId = null, generation = null, offsets } = fields;
  return {
    groupId,
    memberId,
    generation,
    offsets: offsets.map(({ topic, partition, offset, metadata }) => ({
      topic,
      partition,
      offset,
      metadata,
    })),
    transactionalId,
  };
}

export interface StableOptions {
  /** Whether to fail with UNSTABLE_OFFSET_COMMIT while an open transaction has an offset for one of the partitions. */
  readonly requireStable: boolean;
}

/** Of these partitions, in their order. */
export async function fetchCommitted(
  session: Session,
  groupId: string,
  places: readonly TopicPartition[],
  { requireStable }: StableOptions,
): Promise<readonly CommittedOffset[]> {
  if (places.length === 0) return [];
  const partitions = places.map(({ topic, partition }) => ({ topic, partition }));
  const fields = { group_id: groupId, partitions, require_stable: requireStable };
  const { offsets } = await session.call("fetch_offsets", fields);
  return offsets.map(({ topic, partition, offset, metadata, committed_ms: committedMs }) => ({
    topic,
    partition,
    offset,
    metadata,
    committedMs,
  }));
}
