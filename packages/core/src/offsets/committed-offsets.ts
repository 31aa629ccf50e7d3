/**
 * Where groups go on reading: committed, asked for, and forgotten.
 *
 * Invariants: a commit takes effect as a whole or not at all, and once it is answered it has the strength of acks=all; the offset
 * that is told is the last one whose commit was accepted.
 * Never: an offset told whose commit failed or is not acknowledged, nor one of a topic that is gone.
 */
import type { CoordinatorRecord } from "../coordinator/coordinator-record.ts";
import type { Decision } from "../coordinator/coordinator-shard.ts";
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { quoted } from "../quoted.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";
import { type CommitRequest, requireOffsets, requirePartition, type TopicLookup } from "./commit-request.ts";
import { offsetRecord } from "./offset-record.ts";
import { requireRoom } from "./offset-room.ts";
import type { CommittedEntry, OffsetStore } from "./offset-store.ts";

/** What a shard keeps, as far as offsets go: other rooms keep more beside it. */
export type OffsetKinds = { readonly offset: OffsetStore };

/** What only who knows the groups' members can say. */
export interface GroupRules<Kinds> {
  /** Throws unless `request` may change its group's offsets: UNKNOWN_GROUP, UNKNOWN_MEMBER, ILLEGAL_GENERATION, NOT_PARTITION_OWNER, in classic groups FENCED_INSTANCE_ID and REBALANCE_IN_PROGRESS. */
  requireCommitter(kinds: Kinds, request: CommitRequest, how: { readonly isTransactional: boolean }): void;
  /** When the group last had a member, `null` while it has one, 0 when it never had: its offsets age from then on. */
  heldUntilMs(kinds: Kinds, groupId: string): number | null;
}

/** The transaction that offsets are sent in. */
export interface StagingTransaction extends ProducerIdentity {
  /** Called in the instant in which the offsets are written. Throws unless the transaction is open then, and has their partition. */
  requireOngoing(): void;
}

export interface CommittedRequest {
  readonly groupId: string;
  /** Default: all of which something is committed. */
  readonly partitions?: readonly TopicPartition[];
  /** Refuse while a transaction may yet change one of them. */
  readonly requireStable?: boolean;
}

export interface CommittedOffset extends TopicPartition {
  /** `null`: nothing is committed. */
  readonly offset: number | null;
  readonly metadata: string | null;
  /** When it was committed, on the broker's clock. */
  readonly committedMs: number | null;
  /** There where a transaction whose end is open may yet change it. */
  readonly isUnstable?: true;
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
    const recordsOf = this.#recordsOf(request, { isTransactional: false });
    const onAcknowledged = () => {
      const facts = { groupId: request.groupId, ...committerFacts(request), offsets: offsetsOf(request) };
      this.#env.trace({ kind: "offsets_committed", ...facts });
    };
    const decide = (kinds: Kinds) => ({ records: recordsOf(kinds), answer: null, onAcknowledged });
    await this.#write(request, decide, wait);
  }

  /**
   * The same as a part of an open transaction: the offsets are told once its commit marker is acknowledged, and never when it is
   * aborted. Rejects with what `transaction` throws besides. Kafka: TxnOffsetCommit (KIP-98, KIP-447).
   */
  async stage(request: CommitRequest, transaction: StagingTransaction, wait: Wait = {}): Promise<void> {
    const { groupId } = request;
    const { producerId, producerEpoch } = transaction;
    const producer = { producerId, producerEpoch };
    const onAcknowledged = () => {
      const facts = { groupId, ...committerFacts(request), offsets: offsetsOf(request) };
      this.#env.trace({ kind: "offsets_staged", ...facts, ...producer });
    };
    const recordsOf = this.#recordsOf(request, { isTransactional: true });
    const decide = (kinds: Kinds) => {
      transaction.requireOngoing();
      return { records: recordsOf(kinds), answer: null, onAcknowledged, producer };
    };
    await this.#write(request, decide, wait);
  }

  /** What a commit writes, as it is judged when it is decided. Throws for what can be refused before. */
  #recordsOf(
    request: CommitRequest,
    how: { readonly isTransactional: boolean },
  ): (kinds: Kinds) => CoordinatorRecord[] {
    const { topicOf, rules } = this.#parts;
    const { groupId, offsets } = request;
    const committedMs = this.#env.clock.nowMs();
    requireOffsets(offsets);
    return (kinds) => {
      rules.requireCommitter(kinds, request, how);
      const records = offsets.map(({ topic, partition, offset, metadata, topicId: seen }) => {
        const { topicId } = requirePartition({ topic, partition, topicId: seen }, topicOf);
        return offsetRecord({
          groupId,
          topic,
          partition,
          stored: { offset, metadata, committedMs, topicId },
        });
      });
      requireRoom(kinds.offset, request);
      return records;
    };
  }

  async #write(
    { groupId, offsets }: CommitRequest,
    decide: (kinds: Kinds) => Decision<null>,
    wait: Wait,
  ): Promise<void> {
    try {
      await this.#parts.topic.write(groupId, decide, wait);
    } catch (problem) {
      throw isTooLarge(problem) ? tooLarge(problem, offsets.length) : problem;
    }
  }

  /**
   * What the group has committed: of each of `partitions`, in their order, or of all that it has, by topic and partition. A group
   * that nobody knows has nothing. Rejects as CoordinatorShard.read does, and with `requireStable` UNSTABLE_OFFSET_COMMIT while a
   * transaction whose end is open has sent offsets of one of them. Kafka: OffsetFetch (KIP-447).
   */
  async committed(
    { groupId, partitions, requireStable = false }: CommittedRequest,
    wait: Wait = {},
  ): Promise<CommittedOffset[]> {
    const { topic } = this.#parts;
    const isThere = (entry: CommittedEntry) => this.#isThere(entry);
    return topic.read(
      groupId,
      ({ offset: store }) => {
        if (requireStable) requireStableOffsets(store, groupId, partitions);
        const all = () => this.#allOf(store, groupId);
        const one = (place: TopicPartition) => {
          const stored = store.get({ groupId, ...place });
          const entry = stored === null ? null : { groupId, ...place, stored };
          return entry !== null && isThere(entry) ? shown(entry) : { ...place, ...NOTHING };
        };
        const found = partitions?.map(({ topic, partition }) => one({ topic, partition })) ?? all();
        return found.map((offset) => withStability(offset, store, groupId));
      },
      wait,
    );
  }

  /** All that the group has committed, without waiting: nothing where its partition is not in memory in this instant. */
  committedNow(groupId: string): CommittedOffset[] {
    const kinds = this.#parts.topic.shardOf(groupId)?.standing.kinds ?? null;
    if (kinds === null) return [];
    const { offset: store } = kinds;
    return this.#allOf(store, groupId).map((offset) => withStability(offset, store, groupId));
  }

  #allOf(store: OffsetStore, groupId: string): CommittedOffset[] {
    const entries = store.of(groupId).filter((entry) => this.#isThere(entry));
    return entries.sort(byPlace).map(shown);
  }

  #isThere({ topic, stored }: CommittedEntry): boolean {
    return this.#parts.topicOf(topic)?.topicId === stored.topicId;
  }
}

/** Throws UNSTABLE_OFFSET_COMMIT when a transaction has staged an offset of one of `partitions`, or of any. */
function requireStableOffsets(
  { staged }: OffsetStore,
  groupId: string,
  partitions: readonly TopicPartition[] | undefined,
): void {
  if (!staged.hasGroup(groupId)) return;
  const places = partitions?.map(({ topic, partition }) => ({ groupId, topic, partition }));
  const [unstable] = places?.filter((place) => staged.has(place)) ?? staged.of(groupId);
  if (unstable === undefined) return;
  const { topic, partition } = unstable;
  const message = `a transaction that is open has an offset of the group ${quoted(groupId)} for ${partitionName(unstable)}; expected none`;
  throw new BrokerError("UNSTABLE_OFFSET_COMMIT", message, { topic, partition });
}

function withStability(offset: CommittedOffset, { staged }: OffsetStore, groupId: string): CommittedOffset {
  const { topic, partition } = offset;
  return staged.has({ groupId, topic, partition }) ? { ...offset, isUnstable: true } : offset;
}

function committerFacts({ member }: CommitRequest) {
  return { memberId: member?.memberId ?? null, generation: member?.generation ?? null };
}

function offsetsOf({ offsets }: CommitRequest) {
  return offsets.map(({ topic, partition, offset }) => ({ topic, partition, offset }));
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
