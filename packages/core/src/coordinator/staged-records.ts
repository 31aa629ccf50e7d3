/**
 * Records that transactions have written to a coordinator's partition and that do not count yet (Kafka: pending transactional
 * offset commits).
 *
 * Owns: for each producer the newest record of each key that its open transaction has written.
 * Invariant: where a record lies in the log decides which of a key's records is the latest, as for compaction, and not when its
 * transaction ends: one with a later record of its key that counts is outdated, and changes nothing when its own end comes.
 * Never: a record of a transaction whose marker stands in the log.
 */
import type { PlacedRecord } from "./record-kinds.ts";

interface Staged {
  readonly record: PlacedRecord;
  isOutdated: boolean;
}

/** What the end of a transaction lets go. */
export interface EndedRecords {
  /** Those that count from here on, by offset; none at an abort. */
  readonly counting: readonly PlacedRecord[];
  /** All of them. */
  readonly ended: readonly PlacedRecord[];
}

export class StagedRecords {
  readonly #byProducer = new Map<number, Map<string, Staged>>();
  readonly #byKey = new Map<string, Set<Staged>>();

  /** A batch of `producerId`'s transaction stands in the log. Keepers are told of keys that the transaction did not have. */
  stage(producerId: number, records: readonly PlacedRecord[]): void {
    const own = this.#byProducer.get(producerId) ?? new Map<string, Staged>();
    for (const record of records) {
      const { key, keeper, entry } = record;
      const before = own.get(key);
      if (before === undefined) keeper.stage?.(entry);
      else this.#forget(before);
      const staged = { record, isOutdated: false };
      own.set(key, staged);
      const ofKey = this.#byKey.get(key) ?? new Set<Staged>();
      this.#byKey.set(key, ofKey.add(staged));
    }
    if (own.size > 0) this.#byProducer.set(producerId, own);
  }

  /** `records` count: what was staged before them for the same keys does no more. */
  outdate(records: readonly PlacedRecord[]): void {
    if (this.#byKey.size === 0) return;
    for (const { key, offset } of records)
      for (const staged of this.#byKey.get(key) ?? [])
        if (staged.record.offset < offset) staged.isOutdated = true;
  }

  /** The transaction's marker stands in the log. */
  end(producerId: number, control: "commit" | "abort"): EndedRecords {
    const own = [...(this.#byProducer.get(producerId)?.values() ?? [])];
    this.#byProducer.delete(producerId);
    for (const staged of own) this.#forget(staged);
    const ended = own.map(({ record }) => record);
    if (control === "abort") return { counting: [], ended };
    const counting = own.filter(({ isOutdated }) => !isOutdated).map(({ record }) => record);
    counting.sort((one, other) => one.offset - other.offset);
    this.outdate(counting);
    return { counting, ended };
  }

  #forget(staged: Staged): void {
    const { key } = staged.record;
    const ofKey = this.#byKey.get(key);
    ofKey?.delete(staged);
    if (ofKey?.size === 0) this.#byKey.delete(key);
  }
}
