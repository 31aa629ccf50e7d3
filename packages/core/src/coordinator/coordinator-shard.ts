/**
 * One partition of a coordinator's topic: a state that is a fold over the partition's records, kept by whoever leads it
 * (Kafka: CoordinatorRuntime, CoordinatorShard).
 *
 * Owns: the loaded state, if there is one, and its loading.
 * Invariants: an operation sees the state that the leader's log makes, with everything that was written before; it takes effect
 * in the instant in which it is decided, in the order of the calls; what is answered is acknowledged.
 * Never: an answer that rests on a record which the log may yet lose.
 */
import { assert } from "../assert.ts";
import { answeringForDisk } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import type { BrokerError } from "../errors.ts";
import type { Appended } from "../replica/append-options.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import { partitionName } from "../replica/topic-partition.ts";
import type { AppendedMarker, MarkerResult, TransactionEnd } from "../replica/transaction-end.ts";
import { type CoordinatorRecord, frameOf } from "./coordinator-record.ts";
import { unlessGivenUp, type Wait } from "./give-up.ts";
import type { LoadedShard } from "./loaded-shard.ts";
import { type KeptRecord, keptRecord, type RecordKinds } from "./record-kinds.ts";
import { isCurrent, loadShard } from "./shard-load.ts";

/** What was decided: records to write, all or none, and what to answer when they are acknowledged. */
export interface Decision<Answer> {
  readonly records: readonly CoordinatorRecord[];
  readonly answer: Answer;
  /** Called in the instant in which the records stand in the log, and never when the log refused them. It must not throw. */
  readonly onAppended?: () => void;
  /** Called once the records are acknowledged, also when nobody waits for the answer any more. It must not throw. */
  readonly onAcknowledged?: () => void;
  /** Whose open transaction the records belong to: they count once it commits. Left out: at once. */
  readonly producer?: ProducerIdentity | undefined;
}

export interface ShardParts<Kinds extends RecordKinds> {
  readonly set: PartitionReplicaSet;
  /** Appends to the partition with acks all, as its coordinator. */
  readonly append: (
    set: PartitionReplicaSet,
    frame: Buffer,
    options: { readonly inTransaction: boolean },
  ) => Appended;
  /** See PartitionReplicaSet.appendMarker. */
  readonly appendMarker: (
    set: PartitionReplicaSet,
    end: TransactionEnd,
    onAppended: (appended: AppendedMarker) => void,
  ) => AppendedMarker;
  /** A new memory, in which nothing is kept yet. */
  readonly newKinds: () => Kinds;
  /** Called whenever the state has come into memory, for what it says that is to be done. It must not throw. */
  readonly onLoaded?: (kinds: Kinds) => void;
  /** Called when nothing is decided in that state any more, since its leadership is over, for who waits there. It must not throw. */
  readonly onLeft?: (kinds: Kinds, problem: BrokerError) => void;
}

export class CoordinatorShard<Kinds extends RecordKinds> {
  readonly #parts: ShardParts<Kinds>;
  readonly #env: Env;
  #loaded: LoadedShard<Kinds> | null = null;
  #loading: Promise<LoadedShard<Kinds>> | null = null;

  constructor(parts: ShardParts<Kinds>, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  get partition(): number {
    return this.#parts.set.place.partition;
  }

  /** The broker that leads the partition, or `null`. */
  get coordinatorId(): number | null {
    return this.#parts.set.leaderId;
  }

  /** Of the partition. */
  get leaderEpoch(): number {
    return this.#parts.set.leaderEpoch;
  }

  /** The state as the leader's log makes it in this very instant; `null` when it is not in memory. Throws as read() rejects. */
  get loaded(): Kinds | null {
    const loaded = this.#loaded;
    return loaded !== null && isCurrent(this.#parts.set, loaded) ? loaded.kinds : null;
  }

  /** The same without a refusal, and whether read() would bring it into memory: nobody does where nobody leads. */
  get standing(): { readonly kinds: Kinds | null; readonly canLoad: boolean } {
    const { set } = this.#parts;
    const leader = set.isRetired ? null : set.leadership.onlineLeader;
    const kinds = leader === null ? null : this.loaded;
    const canLoad = leader !== null && !leader.isBeingCut && kinds === null && this.#loading === null;
    return { kinds, canLoad };
  }

  /**
   * What `look` makes of the state. It is called once, in one instant, must not change anything, and must only look at what is
   * committed. Rejects with what it throws, with LEADER_NOT_AVAILABLE, STORAGE_ERROR, and REQUEST_TIMED_OUT when `wait` ends.
   */
  read<Answer>(look: (kinds: Kinds) => Answer, wait: Wait = {}): Promise<Answer> {
    return this.#whenLoaded(({ kinds }) => Promise.resolve(look(kinds)), wait);
  }

  /**
   * Writes what `decide` decides, and resolves with its answer once that is acknowledged as acks=all is. It is called once, sees
   * everything that was appended before, acknowledged or not, and changes nothing itself. What it throws, it is rejected with, and
   * nothing is written. With no records it resolves once what was appended before is acknowledged, since the answer may rest on it.
   * Rejects besides as an append with acks=all does: when it was refused before the append, nothing has changed; when after, the
   * records stand in the log and count for what is decided next, and are told once a later record of the partition is acknowledged.
   * REQUEST_TIMED_OUT when `wait` ends: only the caller stops waiting.
   */
  write<Answer>(decide: (kinds: Kinds) => Decision<Answer>, wait: Wait = {}): Promise<Answer> {
    return this.#whenLoaded((loaded) => this.#write(loaded, decide(loaded.kinds)), wait);
  }

  /**
   * Ends a transaction in this partition, once: what it has staged counts from its commit marker on, and is told when that is
   * acknowledged; at an abort it is dropped. Resolves then; asked again, when what was written before is acknowledged. `onEnded` is
   * called with what counts now, also when nobody waits any more, and must not throw. Rejects as write() does.
   */
  endTransaction(
    end: TransactionEnd,
    wait: Wait = {},
    onEnded?: (counting: readonly KeptRecord[], kinds: Kinds) => void,
  ): Promise<MarkerResult> {
    return this.#whenLoaded(async (loaded) => {
      const { set, appendMarker } = this.#parts;
      const { producerId } = end;
      let counting: readonly KeptRecord[] = [];
      let settled: Promise<void> | null = null;
      const { offset } = appendMarker(set, end, ({ offset, control, nextOffset, acknowledged }) => {
        if (offset === null) return;
        counting = loaded.end({ producerId, control, nextOffset });
        settled = loaded.settle(nextOffset, acknowledged);
      });
      await (settled ?? loaded.whenAcknowledged((endOffset) => set.whenAcknowledged(endOffset)));
      if (offset !== null) onEnded?.(counting, loaded.kinds);
      return { offset };
    }, wait);
  }

  async #write<Answer>(
    loaded: LoadedShard<Kinds>,
    { records, answer, onAppended, onAcknowledged, producer }: Decision<Answer>,
  ): Promise<Answer> {
    const { set, append } = this.#parts;
    if (records.length === 0) {
      onAppended?.();
      await loaded.whenAcknowledged((endOffset) => set.whenAcknowledged(endOffset));
      return answer;
    }
    const kept = records.map((record) => keptRecord(loaded.kinds, record));
    const { place } = loaded.log;
    const { clock, faults } = this.#env;
    const { baseOffset, nextOffset, acknowledged, duplicate } = answeringForDisk(() => {
      faults.hit("coordinator.write.before_append", place);
      const inTransaction = producer !== undefined;
      return append(set, frameOf(records, clock.nowMs(), producer), { inTransaction });
    });
    assert(!duplicate, "a coordinator's batch has no sequence and is nobody's duplicate");
    const placed = kept.map((record, index) => ({ ...record, offset: baseOffset + index }));
    loaded.append({ nextOffset, records: placed, producerId: producer?.producerId ?? null });
    onAppended?.();
    const settled = loaded.settle(nextOffset, acknowledged);
    answeringForDisk(() => faults.hit("coordinator.write.after_append", place));
    await settled;
    onAcknowledged?.();
    return answer;
  }

  /** Calls `act` with the state as soon as there is one: at once, when there is. */
  #whenLoaded<Answer>(act: (loaded: LoadedShard<Kinds>) => Promise<Answer>, wait: Wait): Promise<Answer> {
    const what = () => partitionName(this.#parts.set.place);
    return unlessGivenUp(this.#act(act, wait), wait, what);
  }

  async #act<Answer>(
    act: (loaded: LoadedShard<Kinds>) => Promise<Answer>,
    { giveUp }: Wait,
  ): Promise<Answer> {
    for (;;) {
      // Nobody waits for the answer, and nothing has happened yet.
      giveUp?.throwIfAborted();
      const { set } = this.#parts;
      if (this.#loaded !== null && !isCurrent(set, this.#loaded)) this.#loaded = null;
      if (this.#loaded !== null) return act(this.#loaded);
      await this.#load();
    }
  }

  #load(): Promise<LoadedShard<Kinds>> {
    this.#loading ??= this.#loadAnew().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #loadAnew(): Promise<LoadedShard<Kinds>> {
    const { set, newKinds, onLoaded, onLeft } = this.#parts;
    for (;;) {
      const loaded = await loadShard(set, newKinds(), this.#env);
      if (loaded === null) continue;
      this.#loaded = loaded;
      // What the log may yet lose is asked for, so that it becomes certain without anybody writing.
      loaded.whenAcknowledged((endOffset) => set.whenAcknowledged(endOffset)).catch(() => {});
      if (onLeft !== undefined) set.whenLeadershipEnds((problem) => onLeft(loaded.kinds, problem));
      onLoaded?.(loaded.kinds);
      return loaded;
    }
  }
}
