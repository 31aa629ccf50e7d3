/**
 * The state of one partition of a coordinator's topic, as one leader's log makes it.
 *
 * Owns: the kinds' memory of the records, and the batches whose acknowledgement is open.
 * Invariants: records are appended and committed in the order of the log; one is committed only when it, or a later one of the
 * same log and epoch, is acknowledged.
 * Never: a record that another leadership has taken back: with the leadership, all of this is dropped and loaded anew.
 */
import type { PartitionLog } from "../log/partition-log.ts";
import type { KeptRecord, RecordKinds } from "./record-kinds.ts";

/** A batch in the log whose acknowledgement is open. */
interface OpenBatch {
  readonly nextOffset: number;
  readonly records: readonly KeptRecord[];
}

export class LoadedShard<Kinds extends RecordKinds> {
  readonly kinds: Kinds;
  readonly log: PartitionLog;
  readonly leaderEpoch: number;
  #open: OpenBatch[] = [];
  #openFrom = 0;
  /** Settles as the acknowledgement that was last asked for; `null` when none was, or it was refused. */
  #asked: Promise<void> | null = null;

  constructor(kinds: Kinds, { log, leaderEpoch }: { log: PartitionLog; leaderEpoch: number }) {
    this.kinds = kinds;
    this.log = log;
    this.leaderEpoch = leaderEpoch;
  }

  /** Batches whose acknowledgement is open. */
  get openCount(): number {
    return this.#open.length - this.#openFrom;
  }

  /** The records of a batch stand in the log and are acknowledged, while nothing is open. */
  restore(records: readonly KeptRecord[]): void {
    for (const { keeper, entry } of records) keeper.restore(entry);
  }

  /** The records of a batch stand in the log, below `nextOffset`. */
  append(records: readonly KeptRecord[], nextOffset: number): void {
    for (const { keeper, entry } of records) keeper.append(entry);
    this.#open.push({ nextOffset, records });
  }

  /** Everything below `endOffset` is acknowledged. */
  commit(endOffset: number): void {
    for (let batch = this.#open[this.#openFrom]; batch !== undefined; batch = this.#open[this.#openFrom]) {
      if (batch.nextOffset > endOffset) break;
      this.#openFrom += 1;
      for (const { keeper, entry } of batch.records) keeper.commit(entry);
    }
    if (this.#openFrom === this.#open.length || this.#openFrom > 1000) {
      this.#open = this.#open.slice(this.#openFrom);
      this.#openFrom = 0;
    }
  }

  /** `acknowledged` resolves when everything below `endOffset` is acknowledged. When it rejects, that stays open. */
  settle(endOffset: number, acknowledged: Promise<void>): Promise<void> {
    const settled = acknowledged.then(
      () => this.commit(endOffset),
      (problem: unknown) => {
        if (this.#asked === settled) this.#asked = null;
        throw problem;
      },
    );
    this.#asked = settled;
    // Nobody may be waiting.
    settled.catch(() => {});
    return settled;
  }

  /** Resolves when everything that stands in the log by now is acknowledged, for which `ask` is asked unless it was already. */
  whenAcknowledged(ask: (endOffset: number) => Promise<void>): Promise<void> {
    const last = this.#open.at(-1);
    if (last === undefined || this.openCount === 0) return Promise.resolve();
    return this.#asked ?? this.settle(last.nextOffset, ask(last.nextOffset));
  }
}
