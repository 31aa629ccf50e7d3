/** What a log says of producers by its batches alone: each sequence once and in order, each transaction with one end. */
import type { Checker, Judge } from "../checker.ts";
import { type BatchLook, batchWords, Folds } from "./log-mirror.ts";
import { leaderOf, lookWords, type PartitionLook } from "./partition-look.ts";

const SEQUENCES = 2 ** 31;

/** By producer id, its last batch of records. */
type LastBatches = Map<number, BatchLook>;

export class SequencesInOrder implements Checker<PartitionLook> {
  readonly name = "sequences-in-order";
  readonly promise =
    "the sequences of a producer's epoch follow each other in a log, each once, and nothing of an older epoch comes behind a newer";
  readonly #folds = new Folds<LastBatches>(() => new Map());

  check(look: PartitionLook, judge: Judge): void {
    for (const { brokerId, mirror } of look.replicas)
      this.#folds.of(mirror, (last, batch) => {
        if (batch.producerId < 0 || batch.control !== null || batch.baseSequence < 0) return;
        const before = last.get(batch.producerId);
        last.set(batch.producerId, batch);
        if (before === undefined) return;
        judge.asked();
        const problem = sequenceProblem(before, batch, look.isCompacted);
        if (problem !== null)
          judge.violated(`${look.place} on ${brokerId} ${problem}`, [
            batchWords(brokerId, before),
            batchWords(brokerId, batch),
          ]);
      });
  }
}

function sequenceProblem(before: BatchLook, batch: BatchLook, isCompacted: boolean): string | null {
  const { producerId, producerEpoch, baseSequence, baseOffset } = batch;
  const who = `of producer ${producerId}`;
  if (producerEpoch < before.producerEpoch) return `has a batch of an older epoch ${who} at ${baseOffset}`;
  if (producerEpoch > before.producerEpoch) return null;
  const expected = (before.baseSequence + before.nextOffset - before.baseOffset) % SEQUENCES;
  // Compaction takes whole batches, but for a producer's last one.
  if (baseSequence === expected || (isCompacted && baseSequence > expected)) return null;
  return `has sequence ${baseSequence} ${who} at ${baseOffset}; expected ${expected}`;
}

interface OpenInLog {
  readonly first: BatchLook;
  last: BatchLook;
  /** From the first to the last. */
  readonly batches: BatchLook[];
}

interface EndedInLog {
  /** None where nothing but the marker was there when it was read. */
  readonly batches: readonly BatchLook[];
  readonly marker: BatchLook;
  /** Compaction may have taken all of it but the marker, which says where it began. */
  readonly isEmptied: boolean;
}

/** What is open in a log, and what has ended. */
export interface TransactionsInLog {
  readonly open: Map<number, OpenInLog>;
  /** By producer id, its last marker. */
  readonly markers: Map<number, BatchLook>;
  /** In the order of their markers. */
  readonly ended: EndedInLog[];
  startsAt: number | null;
}

export function emptyLog(): TransactionsInLog {
  return { open: new Map(), markers: new Map(), ended: [], startsAt: null };
}

/** Notes one batch, and returns what is wrong with it. */
export function noteBatch(state: TransactionsInLog, batch: BatchLook, isCompacted: boolean): string | null {
  state.startsAt ??= batch.baseOffset;
  const { producerId, producerEpoch, control, baseOffset, recordCount } = batch;
  if (producerId < 0) return null;
  const open = state.open.get(producerId);
  const marker = state.markers.get(producerId);
  if (control === null) {
    if (!batch.transactional || recordCount === 0) return null;
    if (open === undefined || open.first.producerEpoch !== producerEpoch)
      state.open.set(producerId, { first: batch, last: batch, batches: [batch] });
    else {
      open.last = batch;
      open.batches.push(batch);
    }
    if (marker === undefined || producerEpoch >= marker.producerEpoch) return null;
    return `goes on at ${baseOffset} behind the marker at ${marker.baseOffset}`;
  }
  state.open.delete(producerId);
  state.markers.set(producerId, batch);
  if (open === undefined) {
    if (isCompacted) state.ended.push({ batches: [], marker: batch, isEmptied: true });
    // What it ended may lie before the log's start, or have been compacted away.
    if (isCompacted || state.startsAt > 0) return null;
    return `has a marker at ${baseOffset}, and nothing open`;
  }
  const { first, batches } = open;
  state.ended.push({ batches, marker: batch, isEmptied: isCompacted });
  const decided = first.producerEpoch;
  if (
    control === "abort" ? producerEpoch >= decided : producerEpoch - decided <= 1 && producerEpoch >= decided
  )
    return null;
  return `has a ${control} marker of epoch ${producerEpoch} at ${baseOffset} for a transaction of epoch ${decided}`;
}

export class TransactionsEnd implements Checker<PartitionLook> {
  readonly name = "markers";
  readonly promise =
    "a transaction has one marker in a log, of its own epoch, and nothing of it comes behind that";
  readonly #folds = new Folds<TransactionsInLog>(emptyLog);

  check(look: PartitionLook, judge: Judge): void {
    for (const { brokerId, mirror } of look.replicas)
      this.#folds.of(mirror, (state, batch) => {
        if (batch.control !== null) judge.asked();
        const open = state.open.get(batch.producerId);
        const marker = state.markers.get(batch.producerId);
        const problem = noteBatch(state, batch, look.isCompacted);
        if (problem === null) return;
        const words = [marker, open?.first, open?.last, batch];
        judge.violated(
          `the transaction of producer ${batch.producerId} in ${look.place} on ${brokerId} ${problem}`,
          words.flatMap((each) => (each === undefined ? [] : [batchWords(brokerId, each)])),
        );
      });
  }
}

export class StableEnd implements Checker<PartitionLook> {
  readonly name = "last-stable-offset";
  readonly promise =
    "the last stable offset is where the first transaction began that is open, or whose marker is not visible, by what is left of each, else the high watermark";
  readonly #folds = new Folds<TransactionsInLog>(emptyLog);

  check(look: PartitionLook, judge: Judge): void {
    const leader = leaderOf(look);
    if (leader === null || leader.isBeingCut) return;
    const { highWatermark, lastStableOffset } = look;
    const state = this.#folds.of(
      leader.mirror,
      (each, batch) => void noteBatch(each, batch, look.isCompacted),
    );
    const { logStartOffset } = leader;
    const open = [...state.open.values()].filter(({ last }) => last.nextOffset > logStartOffset);
    const unseenEnds = unseenIn(state.ended, highWatermark);
    if (open.length + unseenEnds.length > 0) judge.asked();
    const firsts = [...open, ...unseenEnds].flatMap(({ batches }) => firstLeft(batches, logStartOffset));
    const expected = Math.min(highWatermark, ...firsts);
    if (lastStableOffset === expected) return;
    // Where it began with what compaction has taken since.
    const lowest = Math.min(highWatermark, logStartOffset);
    const isEmptied = unseenEnds.some((each) => each.isEmptied);
    if (isEmptied && lastStableOffset >= lowest && lastStableOffset < expected) return;
    judge.violated(`${look.place} is stable to ${lastStableOffset}; expected ${expected}`, [
      lookWords(look),
      ...open.map(({ first, last }) => `open: ${batchWords(leader.brokerId, first)} to ${last.nextOffset}`),
      ...unseenEnds.map(
        ({ batches, marker }) =>
          `from ${batches[0]?.baseOffset ?? "below"}: ${batchWords(leader.brokerId, marker)}`,
      ),
    ]);
  }
}

/** Whose marker is not visible, the latest first: a high watermark may go back, so that each counts again. */
function unseenIn(ended: readonly EndedInLog[], highWatermark: number): EndedInLog[] {
  const unseen: EndedInLog[] = [];
  for (let place = ended.length - 1; place >= 0; place--) {
    const each = ended[place];
    if (each === undefined || each.marker.baseOffset < highWatermark) break;
    unseen.push(each);
  }
  return unseen;
}

/** Where what the log has of them begins; empty where it has none. */
function firstLeft(batches: readonly BatchLook[], logStartOffset: number): number[] {
  const first = batches.find(({ nextOffset }) => nextOffset > logStartOffset);
  return first === undefined ? [] : [Math.max(first.baseOffset, logStartOffset)];
}
