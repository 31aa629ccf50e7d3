/**
 * The state of one partition of a coordinator's topic, as one leader's log makes it.
 *
 * Owns: the kinds' memory of the records, what transactions have staged, and the batches whose acknowledgement is open.
 * Invariants: records are appended and committed in the order in which the log makes them count: a plain one where it lies, one of a
 * transaction with its commit marker; one is committed only when what makes it count, or something later of the same log and epoch,
 * is acknowledged.
 * Never: a record that another leadership has taken back: with the leadership, all of this is dropped and loaded anew.
 */
import type { PartitionLog } from "../log/partition-log.ts";
import type { KeptRecord, PlacedRecord, RecordKinds } from "./record-kinds.ts";
import { StagedRecords } from "./staged-records.ts";

/** A batch as the log has it. */
export interface ShardBatch {
  readonly nextOffset: number;
  readonly records: readonly PlacedRecord[];
  /** Whose transaction wrote it; `null` for a plain one, which counts where it lies. */
  readonly producerId: number | null;
}

/** A marker as the log has it. */
export interface ShardMarker {
  readonly nextOffset: number;
  readonly producerId: number;
  readonly control: "commit" | "abort";
}

/** A batch in the log whose acknowledgement is open, and what becomes certain with it. */
interface OpenBatch {
  readonly nextOffset: number;
  readonly counting: readonly KeptRecord[];
  readonly unstaged: readonly KeptRecord[];
}

const NOTHING: readonly KeptRecord[] = [];

export class LoadedShard<Kinds extends RecordKinds> {
  readonly kinds: Kinds;
  readonly log: PartitionLog;
  readonly leaderEpoch: number;
  readonly #staged = new StagedRecords();
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

  /** A batch stands in the log and is acknowledged, while nothing is open. */
  restore({ records, producerId }: ShardBatch): void {
    if (producerId !== null) this.#staged.stage(producerId, records);
    else {
      for (const { keeper, entry } of records) keeper.restore(entry);
      this.#staged.outdate(records);
    }
  }

  /** The same of a marker. */
  restoreEnd({ producerId, control }: ShardMarker): void {
    const { counting, ended } = this.#staged.end(producerId, control);
    for (const { keeper, entry } of counting) keeper.restore(entry);
    for (const { keeper, entry } of ended) keeper.unstage?.(entry);
  }

  /** A batch stands in the log. */
  append({ records, producerId, nextOffset }: ShardBatch): void {
    if (producerId === null) {
      this.#count(records);
      this.#staged.outdate(records);
    } else this.#staged.stage(producerId, records);
    this.#open.push({ nextOffset, counting: producerId === null ? records : NOTHING, unstaged: NOTHING });
  }

  /** A marker stands in the log. Returns the records that count from here on. */
  end({ producerId, control, nextOffset }: ShardMarker): readonly KeptRecord[] {
    const { counting, ended } = this.#staged.end(producerId, control);
    this.#count(counting);
    this.#open.push({ nextOffset, counting, unstaged: ended });
    return counting;
  }

  /** Everything below `endOffset` is acknowledged. */
  commit(endOffset: number): void {
    for (let batch = this.#open[this.#openFrom]; batch !== undefined; batch = this.#open[this.#openFrom]) {
      if (batch.nextOffset > endOffset) break;
      this.#openFrom += 1;
      for (const { keeper, entry } of batch.counting) keeper.commit(entry);
      for (const { keeper, entry } of batch.unstaged) keeper.unstage?.(entry);
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

  #count(records: readonly KeptRecord[]): void {
    for (const { keeper, entry } of records) keeper.append(entry);
  }
}
