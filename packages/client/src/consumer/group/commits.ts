/**
 * A consumer's commits: those that it is asked for, and those that it makes by itself.
 *
 * Owns what was committed last, and the timer of auto commits. Invariants: commits go one after the other, so that a late
 * retry never undoes a newer one; by itself only what the caller is done with is committed, never what it has in hand.
 */
import { asMiniKafkaError, hasCode, isRetriable, MiniKafkaError } from "../../errors.ts";
import type { Session } from "../../session.ts";
import { type TopicPartition, topicPartitionKey } from "../../topic-partition.ts";
import { retrying } from "../../waiting.ts";
import type { HandOuts, LostPartition } from "../hand-outs.ts";
import type { PartitionCursor } from "../partition-cursor.ts";
import type { GroupSettings } from "./group-options.ts";
import {
  type CommittedOffset,
  type Committer,
  checkOffsets,
  commitOffsets,
  fetchCommitted,
  type IdentifiedOffset,
  type OffsetToCommit,
  type StableOptions,
} from "./offset-commits.ts";

/** Whose commits they are. */
export interface CommitOwner {
  /** All that the consumer has. */
  readonly held: readonly PartitionCursor[];
  readonly handOuts: HandOuts;
  /** Ends what is under way, and trying again. */
  readonly enough: AbortSignal;
  /** `null`: the consumer assigns itself. Throws UNKNOWN_MEMBER while a subscribed one is not a member. */
  committer(): Committer | null;
  /** Another one for each membership. */
  readonly incarnation: number;
  /** Whether that membership goes on in a newer generation, which it finds out where heartbeats go by themselves. */
  renewed(incarnation: number): Promise<boolean>;
  /** An automatic commit failed with this. */
  failed(error: MiniKafkaError): void;
}

/** How offsets are committed: directly or in a transaction, each with a patience of its own. */
interface Route {
  /** Tries again what may mend itself. */
  send(committer: Committer | null, offsets: readonly IdentifiedOffset[]): Promise<void>;
  retrying<T>(attempt: () => Promise<T>): Promise<T>;
}

/** Generations may change again while a commit is tried again. */
const RENEWALS_MAX = 5;

export class Commits {
  readonly #session: Session;
  readonly #settings: GroupSettings;
  readonly #owner: CommitOwner;
  /** By `topicPartitionKey`. */
  readonly #last = new Map<string, number>();
  #turn: Promise<unknown> = Promise.resolve();
  #cancelTimer: (() => void) | null = null;
  #isStopped = false;

  constructor(session: Session, settings: GroupSettings, owner: CommitOwner) {
    this.#session = session;
    this.#settings = settings;
    this.#owner = owner;
  }

  /** Commits by itself from now on, if the consumer is to. */
  start(): void {
    if (!this.#settings.autoCommit || this.#isStopped || this.#cancelTimer !== null) return;
    this.#cancelTimer = this.#session.clock.after(this.#settings.autoCommitIntervalMs, () => {
      void this.#tick();
    });
  }

  /** No more by itself. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer?.();
  }

  /**
   * All positions: the caller is done with everything that was handed out. Along `route` a transaction says whether they count, and
   * where the group goes on does not change before it commits; what was handed out since the last time is all in it then, so that
   * it fails also when a partition went away several polls ago.
   */
  async commitPositions(route: Route = this.#directly): Promise<void> {
    const { handOuts, held } = this.#owner;
    const lost = route === this.#directly ? handOuts.lost : handOuts.owed;
    handOuts.done();
    handOuts.settle();
    if (lost.length > 0) throw lostMeanwhile(lost);
    for (const cursor of held) cursor.isOwed = false;
    const offsets = held.flatMap(({ place, topicId, position }) =>
      position === null ? [] : [{ ...place, offset: position, topicId }],
    );
    await this.#commit(offsets, () => true, route);
  }

  async commit(offsets: readonly OffsetToCommit[]): Promise<void> {
    checkOffsets(offsets);
    await this.#commit(this.#identified(offsets));
  }

  /** What the caller is done with, as far as it is new. */
  async commitDone(cursors: readonly PartitionCursor[]): Promise<void> {
    const inHand = this.#owner.handOuts.firstOffsets();
    const offsets = cursors.flatMap(({ place, topicId, position }) => {
      const key = topicPartitionKey(place);
      const offset = inHand.get(key) ?? position;
      return offset === null ? [] : [{ ...place, offset, topicId }];
    });
    await this.#commit(offsets, (one) => this.#last.get(topicPartitionKey(one)) !== one.offset);
  }

  /**
   * What the caller is done with, without what is no longer this member's, or is gone: that comes again to its new owner, or
   * to nobody. A commit counts all or nothing, so that a refused one is tried in halves.
   */
  async commitRest(cursors: readonly PartitionCursor[]): Promise<void> {
    try {
      await this.commitDone(cursors);
    } catch (error) {
      if (!hasCode(error, "NOT_PARTITION_OWNER", "UNKNOWN_TOPIC", "UNKNOWN_PARTITION")) throw error;
      if (cursors.length === 1) return;
      const half = cursors.length >> 1;
      await this.commitRest(cursors.slice(0, half));
      await this.commitRest(cursors.slice(half));
    }
  }

  async committed(places: readonly TopicPartition[]): Promise<readonly CommittedOffset[]> {
    return this.#fetch(places, { requireStable: false });
  }

  /**
   * Where to go on, by `topicPartitionKey`. Under either isolation it waits for open transactions that have an offset for one of the
   * partitions: who began before it would do their work a second time when they commit (KIP-447).
   */
  async startingPoints(places: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>> {
    const offsets = new Map<string, number>();
    for (const { offset, ...place } of await this.#fetch(places, { requireStable: true })) {
      const key = topicPartitionKey(place);
      this.#last.delete(key);
      if (offset === null) continue;
      this.#last.set(key, offset);
      offsets.set(key, offset);
    }
    return offsets;
  }

  #fetch(places: readonly TopicPartition[], options: StableOptions): Promise<readonly CommittedOffset[]> {
    const { groupId } = this.#settings;
    return this.#retrying(() => fetchCommitted(this.#session, groupId, places, options));
  }

  /** Resolves when none is under way any more; never rejects. */
  async settled(): Promise<void> {
    for (let last: unknown = null; last !== this.#turn; ) {
      last = this.#turn;
      await last;
    }
  }

  async #tick(): Promise<void> {
    try {
      await this.commitDone(this.#owner.held);
    } catch (error) {
      this.#owner.failed(asMiniKafkaError(error));
    }
    this.#cancelTimer = null;
    this.start();
  }

  /** The caller's offsets are those of the records that it has in hand, also when these are of a topic that is gone. */
  #identified(offsets: readonly OffsetToCommit[]): IdentifiedOffset[] {
    const { held, handOuts } = this.#owner;
    const ids = new Map<string, string | null>();
    for (const { place, topicId } of [...held, ...handOuts.lost]) ids.set(topicPartitionKey(place), topicId);
    return offsets.map((offset) => ({ ...offset, topicId: ids.get(topicPartitionKey(offset)) ?? null }));
  }

  /** Of the offsets those that are `wanted`, also when it is their turn. */
  #commit(
    offsets: readonly IdentifiedOffset[],
    wanted = (_: IdentifiedOffset) => true,
    route = this.#directly,
  ): Promise<void> {
    if (!offsets.some(wanted)) return Promise.resolve();
    // Whose offsets these are is settled now: a later membership must not commit them.
    const committer = this.#owner.committer();
    const { incarnation } = this.#owner;
    const done = this.#turn.then(() => this.#send(committer, incarnation, offsets.filter(wanted), route));
    this.#turn = done.catch(() => {});
    return done;
  }

  async #send(
    first: Committer | null,
    incarnation: number,
    offsets: readonly IdentifiedOffset[],
    route: Route,
  ): Promise<void> {
    // The same membership may have gone on while other commits went before this one.
    let committer = this.#owner.incarnation === incarnation ? this.#owner.committer() : first;
    for (let renewals = 0; ; renewals += 1) {
      try {
        await route.send(committer, offsets);
        break;
      } catch (error) {
        if (!hasCode(error, "ILLEGAL_GENERATION") || renewals === RENEWALS_MAX) throw error;
        // The coordinator knows whether the partitions are still ours in the new generation.
        if (!(await route.retrying(() => this.#owner.renewed(incarnation)))) throw error;
        committer = this.#owner.committer();
      }
    }
  }

  readonly #directly: Route = {
    send: async (committer, offsets) => {
      const { groupId } = this.#settings;
      const signal = this.#owner.enough;
      await this.#retrying(() => commitOffsets(this.#session, groupId, committer, offsets, { signal }));
      for (const { offset, ...place } of offsets) this.#last.set(topicPartitionKey(place), offset);
    },
    retrying: (attempt) => this.#retrying(attempt),
  };

  #retrying<T>(attempt: () => Promise<T>): Promise<T> {
    const { clock, random, requestTimeoutMs } = this.#session;
    const deadlineMs = clock.elapsedMs() + requestTimeoutMs;
    return retrying({ clock, random, deadlineMs, enough: this.#owner.enough }, attempt);
  }
}

/** Whether an automatic commit that failed with this comes too late, so that it is for the next heartbeat to find out why. */
export function isOvertaken(error: unknown): boolean {
  return (
    isRetriable(error) ||
    hasCode(error, "ILLEGAL_GENERATION", "NOT_PARTITION_OWNER", "UNKNOWN_MEMBER", "UNKNOWN_GROUP") ||
    hasCode(error, "UNKNOWN_TOPIC", "UNKNOWN_PARTITION")
  );
}

function lostMeanwhile(lost: readonly LostPartition[]): MiniKafkaError {
  const places = lost.map(({ place }) => place);
  const names = places.map(topicPartitionKey).join(", ");
  const message = `${names}: no longer this consumer's, so that what was handed out of it comes again to its new owner`;
  return new MiniKafkaError("NOT_PARTITION_OWNER", message, { details: { partitions: places } });
}
