/**
 * Which leader wrote which part of a log (Kafka: LeaderEpochFileCache; KIP-101, KIP-279). A follower asks by it where its log
 * and its leader's part.
 *
 * Invariants: epochs and start offsets rise strictly; every batch of the log has the epoch of the last entry at or before
 * its base offset; what is here can be told again from the batches' headers, but for an epoch that has no batch yet.
 */

export interface EpochEntry {
  readonly leaderEpoch: number;
  /** Of its first batch. */
  readonly startOffset: number;
}

export interface EpochEnd {
  /** The largest epoch of the log that is at most the one that was asked for. */
  readonly leaderEpoch: number;
  /** Where that epoch ends, exclusive. */
  readonly endOffset: number;
}

export class LeaderEpochs {
  #entries: readonly EpochEntry[];

  constructor(entries: readonly EpochEntry[]) {
    this.#entries = entries;
  }

  /** Rising. */
  get entries(): readonly EpochEntry[] {
    return this.#entries;
  }

  /** The latest, or `null` when there is none. */
  get latest(): EpochEntry | null {
    return this.#entries.at(-1) ?? null;
  }

  /**
   * What is at `startOffset` and behind it is of `leaderEpoch`. Entries that it contradicts go, as in Kafka: they were of
   * leaders that wrote nothing, and after a crash also of one that was given up since the manifest. What goes on behind them began
   * where it began.
   */
  begin(leaderEpoch: number, startOffset: number): void {
    if (this.latest?.leaderEpoch === leaderEpoch) return;
    const before = this.#entries.filter(
      (entry) => entry.leaderEpoch <= leaderEpoch && entry.startOffset < startOffset,
    );
    const goesOn = before.at(-1)?.leaderEpoch === leaderEpoch;
    this.#entries = goesOn ? before : [...before, { leaderEpoch, startOffset }];
  }

  /** The log ends at `endOffset` now. */
  cutTo(endOffset: number): void {
    this.#entries = epochsBelow(this.#entries, endOffset);
  }

  /** The log begins at `startOffset` now. */
  startAt(startOffset: number): void {
    this.#entries = epochsFrom(this.#entries, startOffset);
  }

  /**
   * Where `leaderEpoch` ends in a log that ends at `logEndOffset`; or the largest epoch below it that is here. An epoch
   * older than all ends where the first begins. `null` when the log has seen no such leader: it cannot tell.
   */
  endOf(leaderEpoch: number, logEndOffset: number): EpochEnd | null {
    const { latest } = this;
    if (latest === null || latest.leaderEpoch < leaderEpoch) return null;
    if (latest.leaderEpoch === leaderEpoch) return { leaderEpoch, endOffset: logEndOffset };
    const next = this.#entries.findIndex((entry) => entry.leaderEpoch > leaderEpoch);
    const endOffset = this.#entries[next]?.startOffset ?? logEndOffset;
    return { leaderEpoch: this.#entries[next - 1]?.leaderEpoch ?? leaderEpoch, endOffset };
  }
}

/** Those that have a batch below `endOffset`. */
export function epochsBelow(entries: readonly EpochEntry[], endOffset: number): readonly EpochEntry[] {
  return entries.filter(({ startOffset }) => startOffset < endOffset);
}

/** What a manifest keeps that ends at `endOffset`: also an epoch that begins there and has no batch yet. */
export function epochsUpTo(entries: readonly EpochEntry[], endOffset: number): readonly EpochEntry[] {
  return entries.filter(({ startOffset }) => startOffset <= endOffset);
}

/** Those that have a batch at `startOffset` or behind it. The one that reaches over it begins there from now on. */
export function epochsFrom(entries: readonly EpochEntry[], startOffset: number): readonly EpochEntry[] {
  const first = entries.findLastIndex((entry) => entry.startOffset <= startOffset);
  if (first === -1) return entries;
  return entries.slice(first).map((entry, place) => (place === 0 ? { ...entry, startOffset } : entry));
}
