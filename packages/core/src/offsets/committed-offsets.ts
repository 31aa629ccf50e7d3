/**
 * Where groups go on reading: committed, asked for, and forgotten.
 *
 * Invariants: a commit takes effect as a whole or not at all, and once it is answered it has the strength of acks=all; the offset
 * that is told is the last one whose commit was accepted.
 * Never: an offset told whose commit failed or is not acknowledged, nor one of a topic that is gone.
 */
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { type CommitRequest, requireOffsets, requirePartition, type TopicLookup } from "./commit-request.ts";
import { offsetRecord } from "./offset-record.ts";
import type { CommittedEntry, OffsetStore } from "./offset-store.ts";

/** What a shard keeps, as far as offsets go: other rooms keep more beside it. */
export type OffsetKinds = { readonly offset: OffsetStore };

/** What only who knows the groups' members can say. */
export interface GroupRules<Kinds> {
  /** Throws unless `request` may change its group's offsets: UNKNOWN_GROUP, UNKNOWN_MEMBER, ILLEGAL_GENERATION, NOT_PARTITION_OWNER. */
  requireCommitter(kinds: Kinds, request: CommitRequest): void;
  /** When the group last had a member, `null` while it has one, 0 when it never had: its offsets age from then on. */
  heldUntilMs(kinds: Kinds, groupId: string): number | null;
}

export interface CommittedOffset extends TopicPartition {
  /** `null`: nothing is committed. */
  readonly offset: number | null;
  readonly metadata: string | null;
  /** When it was committed, on the broker's clock. */
  readonly committedMs: number | null;
}

export interface OffsetParts<Kinds extends OffsetKinds> {
  readonly topic: CoordinatorTopic<Kinds>;
  readonly topicOf: TopicLookup;
  readonly rules: GroupRules<Kinds>;
}

export class CommittedOffsets<Kinds extends OffsetKinds> {
  readonly #parts: OffsetParts<Kinds>;
  readonly #env: Env;

  constructor(parts: OffsetParts<Kinds>, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  /**
   * Commits all of the offsets, or none. Rejects with what GroupRules refuses, INVALID_REQUEST, UNKNOWN_TOPIC, UNKNOWN_PARTITION,
   * RECORD_TOO_LARGE when they do not fit one batch; and as CoordinatorShard.write does, after which a commit's fate may be open.
   * Kafka: OffsetCommit.
   */
  async commit(request: CommitRequest, wait: Wait = {}): Promise<void> {
    const { topic, topicOf, rules } = this.#parts;
    const { groupId, member, offsets } = request;
    const committedMs = this.#env.clock.nowMs();
    requireOffsets(offsets);
    const { memberId = null, generation = null } = member ?? {};
    const onAcknowledged = () => {
      const facts = offsets.map(({ topic, partition, offset }) => ({ topic, partition, offset }));
      this.#env.trace({ kind: "offsets_committed", groupId, memberId, generation, offsets: facts });
    };
    const decide = (kinds: Kinds) => {
      rules.requireCommitter(kinds, request);
      const records = offsets.map(({ topic, partition, offset, metadata, topicId: seen }) => {
        const { topicId } = requirePartition({ topic, partition, topicId: seen }, topicOf);
        const stored = { offset, metadata, committedMs, topicId };
        return offsetRecord({ groupId, topic, partition, stored });
      });
      requireRoom(kinds.offset, request);
      return { records, answer: null, onAcknowledged };
    };
    try {
      await topic.write(groupId, decide, wait);
    } catch (problem) {
      throw isTooLarge(problem) ? tooLarge(problem, offsets.length) : problem;
    }
  }

  /**
   * What the group has committed: of each of `partitions`, in their order, or of all that it has, by topic and partition. A group
   * that nobody knows has nothing. Rejects as CoordinatorShard.read does. Kafka: OffsetFetch.
   */
  async committed(
    { groupId, partitions }: { readonly groupId: string; readonly partitions?: readonly TopicPartition[] },
    wait: Wait = {},
  ): Promise<CommittedOffset[]> {
    const { topic, topicOf } = this.#parts;
    const isThere = (entry: CommittedEntry) => topicOf(entry.topic)?.topicId === entry.stored.topicId;
    return topic.read(
      groupId,
      ({ offset: store }) => {
        const all = () => store.of(groupId).filter(isThere).sort(byPlace).map(shown);
        const one = (place: TopicPartition) => {
          const stored = store.get({ groupId, ...place });
          const entry = stored === null ? null : { groupId, ...place, stored };
          return entry !== null && isThere(entry) ? shown(entry) : { ...place, ...NOTHING };
        };
        return partitions?.map(({ topic, partition }) => one({ topic, partition })) ?? all();
      },
      wait,
    );
  }
}

const NOTHING = { offset: null, metadata: null, committedMs: null };

function isTooLarge(problem: unknown): problem is BrokerError {
  return problem instanceof BrokerError && problem.code === "RECORD_TOO_LARGE";
}

/** A commit is one batch, of which the committer knows nothing. */
function tooLarge({ details }: BrokerError, offsets: number): BrokerError {
  const { batch_bytes, batch_bytes_max } = details;
  const message = `${offsets} offsets with their metadata take ${batch_bytes} bytes together; expected at most ${batch_bytes_max}: commit them in parts`;
  return new BrokerError("RECORD_TOO_LARGE", message, details);
}

function shown({ topic, partition, stored }: CommittedEntry): CommittedOffset {
  const { offset, metadata, committedMs } = stored;
  return { topic, partition, offset, metadata, committedMs };
}

function byPlace(one: CommittedEntry, other: CommittedEntry): number {
  if (one.topic !== other.topic) return one.topic < other.topic ? -1 : 1;
  return one.partition - other.partition;
}

/** Throws INVALID_REQUEST for more offsets of a group, or groups with offsets, than a partition of the internal topic keeps. */
function requireRoom(store: OffsetStore, { groupId, offsets }: CommitRequest): void {
  const { offsetsPerGroupMax, groupsPerPartitionMax } = LIMITS;
  const before = store.countOf(groupId);
  if (before === 0 && store.groupCount >= groupsPerPartitionMax) {
    const message = `there are ${store.groupCount} groups with offsets beside ${quoted(groupId)}; expected fewer than ${groupsPerPartitionMax}`;
    throw new BrokerError("INVALID_REQUEST", message, {
      groups: store.groupCount,
      groups_max: groupsPerPartitionMax,
    });
  }
  if (before + offsets.length <= offsetsPerGroupMax) return;
  const added = offsets.filter(({ topic, partition }) => store.get({ groupId, topic, partition }) === null);
  if (before + added.length <= offsetsPerGroupMax) return;
  const message = `the group ${quoted(groupId)} would have ${before + added.length} offsets; expected at most ${offsetsPerGroupMax}`;
  throw new BrokerError("INVALID_REQUEST", message, {
    offsets: before + added.length,
    offsets_max: offsetsPerGroupMax,
  });
}
