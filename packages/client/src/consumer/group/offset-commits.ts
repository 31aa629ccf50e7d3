/** The requests about committed offsets, in the SDK's terms. */
import { LIMITS } from "../../limits.ts";
import type { CallOptions, Session } from "../../session.ts";
import type { TopicPartition } from "../../topic-partition.ts";

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

/** All of the offsets or none, up to 10,000 of them; more go in several requests. Without a member: as nobody's. */
export async function commitOffsets(
  session: Session,
  groupId: string,
  member: Committer | null,
  offsets: readonly IdentifiedOffset[],
  options?: CallOptions,
): Promise<void> {
  const from = member === null ? {} : { member_id: member.memberId, generation: member.generation };
  for (let begin = 0; begin < offsets.length; begin += LIMITS.offsetsPerCommitMax) {
    const some = offsets
      .slice(begin, begin + LIMITS.offsetsPerCommitMax)
      .map(({ topic, partition, offset, metadata = null, topicId = null }) => {
        const fields = { topic, partition, offset, metadata };
        return topicId === null ? fields : { ...fields, topic_id: topicId };
      });
    await session.call("commit_offsets", { group_id: groupId, ...from, offsets: some }, options);
  }
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
