/**
 * What was handed out to the caller and may not be done yet. Records count as done when the caller asks for more, or commits.
 *
 * Owns the records in hand, and which partitions were taken away with records that no commit of positions counts. Invariant: what
 * is in hand was handed out by the last poll or step of an iteration alone, since each of them begins by asking for more.
 */
import type { ClientClock } from "../clock.ts";
import { type TopicPartition, topicPartitionKey } from "../topic-partition.ts";
import { WakeUp } from "../wake-up.ts";
import type { HandedOutRecord } from "./deserialized-record.ts";

const NONE: readonly never[] = [];

/** A partition, and which topic of that name it is of. */
export interface LostPartition {
  readonly place: TopicPartition;
  readonly topicId: string | null;
}

export interface TakenPartition extends LostPartition {
  /** See PartitionCursor. */
  readonly isOwed: boolean;
}

export class HandOuts {
  readonly #changed = new WakeUp();
  #isAwaited = false;
  /** An iteration record by record has one in hand; a field of its own spares it an array for each. */
  #one: HandedOutRecord | null = null;
  #many: readonly HandedOutRecord[] = NONE;
  #lost: readonly LostPartition[] = NONE;
  /** By `topicPartitionKey`. */
  readonly #owed = new Map<string, LostPartition>();

  /** Partitions that were taken away while records of theirs were in hand. */
  get lost(): readonly LostPartition[] {
    return this.#lost;
  }

  /**
   * Partitions that were taken away after records of theirs were handed out, in this poll or an earlier one, and before a commit of
   * all positions. Whoever commits such records in a transaction would have them done twice: their new owner begins before them.
   */
  get owed(): readonly LostPartition[] {
    return [...this.#owed.values()];
  }

  /** What was handed out of partitions that are gone is given up, or the caller was told. */
  settle(): void {
    this.#owed.clear();
  }

  giveOne(record: HandedOutRecord): void {
    this.#one = record;
  }

  giveMany(records: readonly HandedOutRecord[]): void {
    this.#many = records;
  }

  /** The caller asks for more, so it is done with what it had. */
  done(): void {
    this.#one = null;
    this.#many = NONE;
    this.#lost = NONE;
    if (this.#isAwaited) this.#changed.now();
  }

  /** For each partition the first offset that may not be done, by `topicPartitionKey`. */
  firstOffsets(): ReadonlyMap<string, number> {
    const first = new Map<string, number>();
    for (const record of this.#inHand()) {
      const key = topicPartitionKey(record);
      if (!first.has(key)) first.set(key, record.offset);
    }
    return first;
  }

  /** What is in hand of these does not count any more: the caller goes on somewhere else. */
  forget(places: readonly TopicPartition[]): void {
    const keys = new Set(places.map(topicPartitionKey));
    const others = this.#inHand().filter((record) => !keys.has(topicPartitionKey(record)));
    this.#one = null;
    this.#many = others;
    if (this.#isAwaited) this.#changed.now();
  }

  /** These are somebody else's from now on. */
  lose(partitions: readonly TakenPartition[]): void {
    for (const { place, topicId, isOwed } of partitions)
      if (isOwed) this.#owed.set(topicPartitionKey(place), { place, topicId });
    const first = this.firstOffsets();
    const torn = partitions.filter(({ place }) => first.has(topicPartitionKey(place)));
    this.forget(partitions.map(({ place }) => place));
    if (torn.length > 0)
      this.#lost = [...this.#lost, ...torn.map(({ place, topicId }) => ({ place, topicId }))];
  }

  /** Resolves when nothing of these is in hand, when `delayMs` have passed, or when `signal` aborts; never rejects. */
  async whenDone(
    places: readonly TopicPartition[],
    clock: ClientClock,
    delayMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const deadlineMs = clock.elapsedMs() + delayMs;
    this.#isAwaited = true;
    while (!signal.aborted && this.#has(places)) {
      const leftMs = deadlineMs - clock.elapsedMs();
      if (leftMs <= 0) break;
      await this.#changed.wait(clock, leftMs, signal);
    }
    this.#isAwaited = false;
  }

  #has(places: readonly TopicPartition[]): boolean {
    const first = this.firstOffsets();
    return places.some((place) => first.has(topicPartitionKey(place)));
  }

  #inHand(): readonly HandedOutRecord[] {
    return this.#one === null ? this.#many : [this.#one];
  }
}
