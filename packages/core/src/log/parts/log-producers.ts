/**
 * The producers of one log: what is known of them and their transactions, and how that comes back when the log is opened.
 *
 * Owns: the tables. One snapshot of them (snapshot-files.ts) is written for each manifest that moves the recovery point, before
 * it, so that nothing has to be read again below that point.
 * Invariants: at each offset the tables are what a walk over all headers before it would give, but for producers that were
 * forgotten, and for those whose last batch retention has removed: they stay.
 * Never: a log refused because of a snapshot, as long as its batches can be read; a producer forgotten for its silence while its
 * transaction is open, which one that was deleted wholly is not.
 */
import type { BatchHeader } from "@minikafka/record";
import type { LogContext } from "../context/log-context.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { ProducerSnapshot } from "../producers/producer-snapshot.ts";
import type { ProducerEntry } from "../producers/producer-state.ts";
import { ProducerTables } from "../producers/producer-tables.ts";
import type { TransactionState } from "../producers/transaction-state.ts";
import type { Segment } from "../segment/segment.ts";
import { endedWithin, type WalkedRange, walkRange } from "./range-walk.ts";
import { SnapshotFiles } from "./snapshot-files.ts";

/** Which batches the tables are to be made from. */
export interface ProducerRange {
  /** They hold everything up to `endOffset`. */
  readonly segments: readonly Segment[];
  readonly endOffset: number;
}

/** Tables that are not in use yet. */
export interface RestoredProducers {
  readonly tables: ProducerTables;
  readonly endOffset: number;
  /** `null` when nothing had to be read. */
  readonly from: { readonly snapshotOffset: number | null; readonly batches: number } | null;
}

export class LogProducers {
  readonly snapshots: SnapshotFiles;
  readonly #context: LogContext;
  #tables = new ProducerTables();
  #startOffset: () => number = () => 0;

  constructor(context: LogContext) {
    this.#context = context;
    this.snapshots = new SnapshotFiles(context);
  }

  get size(): number {
    return this.#tables.producers.size;
  }

  /** Of this instant: a truncation puts others in their place. */
  get transactions(): TransactionState {
    return this.#tables.transactions;
  }

  get(producerId: number): ProducerEntry | undefined {
    return this.#tables.producers.get(producerId);
  }

  /** Who was heard of longest ago comes first. */
  entries(): readonly ProducerEntry[] {
    return this.#tables.producers.entries();
  }

  /** `startOffset` tells where the log begins: nothing below is left of a transaction. */
  beginAt(startOffset: () => number): void {
    this.#startOffset = startOffset;
  }

  /** A batch stands in the log, behind all that were noted before. */
  note(header: BatchHeader): void {
    this.#note(this.#tables, header, this.#startOffset());
  }

  #note(tables: ProducerTables, header: BatchHeader, startOffset: number): void {
    const nowMs = this.#context.env.clock.nowMs();
    const forgotten = tables.note(header, { nowMs, startOffset });
    if (forgotten !== null) this.#traceForgotten(forgotten, "table_full");
  }

  /**
   * Forgets the producers that nothing was heard of since `sinceMs`, and returns their ids. Kafka as well keeps those whose
   * transaction is open.
   */
  forgetIdle(sinceMs: number): number[] {
    const forgotten = this.#tables.producers.forgetIdle(sinceMs, (producerId) => this.#isOpen(producerId));
    for (const entry of forgotten) this.#traceForgotten(entry, "idle");
    return forgotten.map(({ producerId }) => producerId);
  }

  /** Those that time lets a log forget, if nothing is heard of them: who was heard of longest ago comes first. */
  forgettable(): readonly ProducerEntry[] {
    return this.entries().filter(({ producerId }) => !this.#isOpen(producerId));
  }

  #isOpen(producerId: number): boolean {
    // Of one that was deleted wholly nothing is open: nobody may ever end it, and its producer would be known for ever.
    return this.#tables.transactions.get(producerId, this.#startOffset()) !== undefined;
  }

  /** The transactions that ended in the range are known again. Throws STORAGE_ERROR for damage in a batch, DiskError. */
  recall(range: WalkedRange): void {
    this.transactions.recall(range.fromOffset, endedWithin(range));
  }

  /**
   * Of transactions of which a part was deleted, the rest is what counts from here on; `segments` hold it. Nothing is read where that is
   * known. Throws as recall() does; then they stay as they were.
   */
  followStart(segments: readonly Segment[]): void {
    const startOffset = this.#startOffset();
    const { transactions } = this;
    const cut = transactions.cutBy(startOffset);
    if (cut === null) return;
    const sought = new Set(cut.keys());
    const firstLeft = new Map<number, number>();
    const range = { segments, fromOffset: startOffset, endOffset: Math.max(...cut.values()) };
    walkRange(range, ({ header: { producerId, control, transactional, recordCount, baseOffset } }) => {
      const isPart = control === null && transactional && recordCount > 0;
      if (isPart && sought.has(producerId)) firstLeft.set(producerId, baseOffset);
      if (isPart || control !== null) sought.delete(producerId);
      return sought.size > 0;
    });
    transactions.cut(startOffset, firstLeft);
  }

  /** Makes the tables what they were at `endOffset`. Throws as restored() does. */
  restore(manifest: Manifest, range: ProducerRange): void {
    this.adopt(this.restored(manifest, range));
  }

  /**
   * The tables as they were at `endOffset`, for adopt(): from the newest snapshot at or below it that can be read and from which on no
   * batch was removed, and the batches behind that; where the manifest knows no producer, from those behind its recovery point. Throws STORAGE_ERROR for damage
   * in a batch, DiskError.
   */
  restored(
    { producerSnapshots: snapshots, recoveryPoint, logStartOffset }: Manifest,
    { segments, endOffset }: ProducerRange,
  ): RestoredProducers {
    if (snapshots === null && recoveryPoint.offset >= endOffset)
      return { tables: new ProducerTables(), endOffset, from: null };
    // Behind an older one batches are missing that retention has removed, the end of a transaction perhaps.
    const firstOffset = segments[0]?.baseOffset ?? endOffset;
    const usable = (snapshots ?? []).filter((offset) => offset >= firstOffset && offset <= endOffset);
    const snapshot = this.snapshots.newest(usable);
    const tables = new ProducerTables(snapshot);
    const from = snapshots === null ? recoveryPoint.offset : (snapshot?.offset ?? 0);
    let batches = 0;
    walkRange({ segments, fromOffset: from, endOffset }, ({ header }) => {
      this.#note(tables, header, logStartOffset);
      batches += 1;
    });
    return { tables, endOffset, from: { snapshotOffset: snapshot?.offset ?? null, batches } };
  }

  /** From now on what is known is this. */
  adopt({ tables, endOffset, from }: RestoredProducers): void {
    this.#tables = tables;
    if (from === null) return;
    const { env, place } = this.#context;
    env.trace({ kind: "producers_restored", ...place, ...from, endOffset, producers: this.size });
  }

  /** The log has no batch any more. */
  clear(): void {
    this.#tables = new ProducerTables();
  }

  /** Whether there is nothing to tell, now or of an earlier end of the log. */
  get isBlank(): boolean {
    return this.#tables.isBlank;
  }

  /** The tables of this instant, in which the log ends at `offset`; `null` when there is nothing to tell. */
  capture(offset: number): ProducerSnapshot | null {
    return this.#tables.capture(offset);
  }

  #traceForgotten({ producerId, lastSeenMs }: ProducerEntry, reason: "idle" | "table_full"): void {
    const { env, place } = this.#context;
    env.trace({ kind: "producer_forgotten", ...place, producerId, lastSeenMs, reason });
  }
}
