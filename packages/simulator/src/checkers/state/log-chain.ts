/** One replica's log: batch after batch without a hole, of leaders one after another, as the log's own history of them says. */
import type { Checker, Judge } from "../checker.ts";
import { type BatchLook, batchWords, Folds, type LogMirror } from "./log-mirror.ts";
import type { EpochLook, PartitionLook, ReplicaLook } from "./partition-look.ts";

export class LogChain implements Checker<PartitionLook> {
  readonly name = "log-chain";
  readonly promise =
    "batches join without a gap, their epochs never fall, and none is of an epoch that is yet to come";
  readonly #folds = new Folds<null>(() => null);

  check(look: PartitionLook, judge: Judge): void {
    for (const { brokerId, mirror } of look.replicas)
      this.#folds.of(mirror, (_, batch, before) => {
        judge.asked();
        const problem = chainProblem(look, batch, before);
        if (problem === null) return;
        const words = [before, batch].flatMap((each) =>
          each === undefined ? [] : [batchWords(brokerId, each)],
        );
        judge.violated(`the log of ${look.place} on ${brokerId} ${problem}`, words);
      });
  }
}

function chainProblem(look: PartitionLook, batch: BatchLook, before: BatchLook | undefined): string | null {
  if (batch.nextOffset <= batch.baseOffset) return `has a batch without an offset at ${batch.baseOffset}`;
  if (batch.leaderEpoch > look.leaderEpoch)
    return `has a batch of epoch ${batch.leaderEpoch} in ${look.leaderEpoch}`;
  if (before === undefined) return null;
  if (batch.baseOffset !== before.nextOffset)
    return `has a hole from ${before.nextOffset} to ${batch.baseOffset}`;
  if (batch.leaderEpoch < before.leaderEpoch)
    return `falls back to epoch ${batch.leaderEpoch} at ${batch.baseOffset}`;
  return null;
}

export class EpochHistory implements Checker<PartitionLook> {
  readonly name = "epoch-history";
  readonly promise = "a log's history of leader epochs is what its batches say";
  readonly #folds = new Folds<EpochLook[]>(() => []);

  check(look: PartitionLook, judge: Judge): void {
    for (const replica of look.replicas) {
      const all = this.#folds.of(replica.mirror, noteEpoch);
      // An epoch goes with its last record.
      const told = all.filter(
        (_, index) => (all[index + 1]?.startOffset ?? replica.logEndOffset) > replica.logStartOffset,
      );
      const [first, ...later] = told;
      if (first === undefined || replica.isBeingCut) continue;
      judge.asked();
      const known = new Map(replica.epochs.map(({ leaderEpoch, startOffset }) => [leaderEpoch, startOffset]));
      const isFirstKnown =
        (known.get(first.leaderEpoch) ?? Number.POSITIVE_INFINITY) <= startOf(replica, first);
      const wrong = later.find(({ leaderEpoch, startOffset }) => known.get(leaderEpoch) !== startOffset);
      if (isFirstKnown && wrong === undefined) continue;
      judge.violated(`the epochs of ${look.place} on ${replica.brokerId} are not those of its batches`, [
        `its batches say ${epochWords(told)}`,
        `its history says ${epochWords(replica.epochs)}`,
      ]);
    }
  }
}

/** The first epoch may have begun in what the log has let go since. */
function startOf({ logStartOffset }: ReplicaLook, { startOffset }: EpochLook): number {
  return Math.max(logStartOffset, startOffset);
}

function noteEpoch(epochs: EpochLook[], { leaderEpoch, baseOffset }: BatchLook): void {
  if (epochs.at(-1)?.leaderEpoch !== leaderEpoch) epochs.push({ leaderEpoch, startOffset: baseOffset });
}

function epochWords(epochs: readonly EpochLook[]): string {
  return epochs.map(({ leaderEpoch, startOffset }) => `${leaderEpoch} from ${startOffset}`).join(", ");
}

/** Of two logs how far they were compared, and what they were then. */
interface Compared {
  readonly versions: string;
  readonly to: number;
}

/** KIP-101, Raft: log matching. Logs that compaction rewrites differ in bytes; those are compared in the end, by their records. */
export class LogsMatch implements Checker<PartitionLook> {
  readonly name = "logs-match";
  readonly promise =
    "one offset of one epoch is one batch on every replica, and below the high watermark those in sync have the same batches";
  readonly #compared = new Map<string, Compared>();

  check(look: PartitionLook, judge: Judge): void {
    if (look.isCompacted) return;
    for (const [index, one] of look.replicas.entries())
      for (const other of look.replicas.slice(index + 1)) this.#compare(look, judge, one, other);
  }

  #compare(look: PartitionLook, judge: Judge, one: ReplicaLook, other: ReplicaLook): void {
    const pair = `${look.place} ${one.brokerId} ${other.brokerId}`;
    const versions = `${one.mirror.version} ${other.mirror.version} ${look.life} ${look.leaderEpoch}`;
    const known = this.#compared.get(pair);
    const startOffset = Math.max(one.logStartOffset, other.logStartOffset);
    const from = known?.versions === versions ? Math.max(known.to, startOffset) : startOffset;
    const isBothInSync = [one, other].every(
      ({ brokerId, isBeingCut }) => !isBeingCut && look.inSyncReplicas.includes(brokerId),
    );
    const visibleEnd = isBothInSync ? look.highWatermark : 0;
    const to = Math.min(one.mirror.endOffset, other.mirror.endOffset);
    for (const [left, right] of pairsFrom(one.mirror, other.mirror, from)) {
      const isVisible = Math.min(left.nextOffset, right.nextOffset) <= visibleEnd;
      if (!isVisible && (left.baseOffset !== right.baseOffset || left.leaderEpoch !== right.leaderEpoch))
        continue;
      judge.asked();
      if (left.crc === right.crc && left.baseOffset === right.baseOffset) continue;
      judge.violated(`${one.brokerId} and ${other.brokerId} differ in ${look.place} at ${left.baseOffset}`, [
        batchWords(one.brokerId, left),
        batchWords(other.brokerId, right),
        `high watermark ${look.highWatermark}, in sync ${look.inSyncReplicas.join(",")}`,
      ]);
      break;
    }
    this.#compared.set(pair, { versions, to: Math.min(to, Math.max(visibleEnd, known?.to ?? 0)) });
  }
}

/** Batches of two logs that reach over the same offsets, from the first that begins at `from` or behind it. */
function* pairsFrom(one: LogMirror, other: LogMirror, from: number): Generator<[BatchLook, BatchLook]> {
  let [left, right] = [one.indexFrom(from), other.indexFrom(from)];
  for (;;) {
    const [a, b] = [one.batches[left], other.batches[right]];
    if (a === undefined || b === undefined) return;
    if (a.nextOffset <= b.baseOffset) left++;
    else if (b.nextOffset <= a.baseOffset) right++;
    else {
      yield [a, b];
      if (a.nextOffset <= b.nextOffset) left++;
      if (b.nextOffset <= a.nextOffset) right++;
    }
  }
}
