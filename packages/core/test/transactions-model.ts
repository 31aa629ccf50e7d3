/** A plain list of what was appended to a log, and what it tells of transactions: what a log is compared with. */
import assert from "node:assert/strict";
import { decodeRecords, readBatchHeader, splitFrames } from "@minikafka/record";
import type { PartitionLog } from "../src/log/partition-log.ts";

export interface ModelBatch {
  readonly kind: "plain" | "data" | "commit" | "abort";
  /** -1 for a plain one. */
  readonly producerId: number;
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** `key=value` of each record. */
  readonly records: readonly string[];
  /** Of a marker: where it says that its transaction began. */
  readonly began?: number;
}

export interface ModelTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  /** Of its marker; `null` while it is open. */
  readonly lastOffset: number | null;
  readonly isAborted: boolean;
}

/** Those of which a record is left in a log that begins at `logStartOffset`: what was deleted is no part of them. */
export function left(batches: readonly ModelBatch[], logStartOffset: number): ModelBatch[] {
  return batches.filter(({ nextOffset }) => nextOffset > logStartOffset).map(({ began, ...batch }) => batch);
}

/** All that ever were in these batches, by first offset. */
export function transactionsOf(batches: readonly ModelBatch[]): ModelTransaction[] {
  const open = new Map<number, number>();
  const ended: ModelTransaction[] = [];
  for (const { kind, producerId, baseOffset, began } of batches) {
    if (kind === "data" && !open.has(producerId)) open.set(producerId, baseOffset);
    const firstOffset = began ?? open.get(producerId);
    if ((kind !== "commit" && kind !== "abort") || firstOffset === undefined) continue;
    ended.push({ producerId, firstOffset, lastOffset: baseOffset, isAborted: kind === "abort" });
    open.delete(producerId);
  }
  const left = [...open].map(([producerId, firstOffset]) => ({
    ...{ producerId, firstOffset },
    lastOffset: null,
    isAborted: false,
  }));
  return [...ended, ...left].sort((one, other) => one.firstOffset - other.firstOffset);
}

export function firstUnstableOf(batches: readonly ModelBatch[], highWatermark: number): number | null {
  const unstable = transactionsOf(batches).filter(
    ({ lastOffset }) => lastOffset === null || lastOffset >= highWatermark,
  );
  return unstable[0]?.firstOffset ?? null;
}

/** What a reader of committed records may see of them: `offset key=value`, from `fromOffset` up to `endOffset`. */
export function committedOf(
  batches: readonly ModelBatch[],
  { fromOffset, endOffset }: { readonly fromOffset: number; readonly endOffset: number },
): string[] {
  const aborted = transactionsOf(batches).filter(({ isAborted }) => isAborted);
  const isAborted = ({ kind, producerId, baseOffset }: ModelBatch) =>
    kind === "data" &&
    aborted.some(
      (transaction) =>
        transaction.producerId === producerId &&
        transaction.firstOffset <= baseOffset &&
        baseOffset < (transaction.lastOffset ?? 0),
    );
  return batches
    .filter((batch) => !isAborted(batch))
    .flatMap(({ baseOffset, records }) => records.map((record, n) => ({ offset: baseOffset + n, record })))
    .filter(({ offset }) => offset >= fromOffset && offset < endOffset)
    .map(({ offset, record }) => `${offset} ${record}`);
}

/** The same as such a reader gets it: batches in steps of `bytesMax`, with what the log says is aborted in them. */
export function readCommitted(log: PartitionLog, endOffset: number, bytesMax = 1 << 20): string[] {
  const seen: string[] = [];
  for (let next = log.logStartOffset; next < endOffset; ) {
    const { batches, nextOffset } = log.read(next, { bytesMax, endOffset });
    const aborted = log.abortedTransactions(next, nextOffset);
    for (const frame of splitFrames(batches)) {
      const { control, transactional, producerId, baseOffset } = readBatchHeader(frame);
      const isAborted =
        transactional &&
        aborted.some(
          (transaction) =>
            transaction.producerId === producerId &&
            transaction.firstOffset <= baseOffset &&
            baseOffset < transaction.lastOffset,
        );
      if (control !== null || isAborted) continue;
      for (const { offset, key, value } of decodeRecords(frame))
        if (offset >= next && offset < endOffset) seen.push(`${offset} ${textOf(key)}=${textOf(value)}`);
    }
    next = nextOffset;
  }
  return seen;
}

/**
 * Of what a reader of committed records may see, a log that is compacted has the latest of each key, and all without one; what it
 * has besides is of the same list.
 */
export function requireCleaned(read: readonly string[], visible: readonly string[]): void {
  const isVisible = new Set(visible);
  for (const record of read) assert.ok(isVisible.has(record), `${record} was aborted, or never there`);
  const isRead = new Set(read);
  const latest = new Map(visible.map((record) => [keyOf(record), record]));
  for (const record of visible) {
    const stays = keyOf(record) === "null" || latest.get(keyOf(record)) === record;
    if (stays) assert.ok(isRead.has(record), `${record} is missing`);
  }
}

function keyOf(record: string): string {
  return record.slice(record.indexOf(" ") + 1, record.indexOf("="));
}

function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? "null" : Buffer.from(bytes).toString();
}
