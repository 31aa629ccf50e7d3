/** What acks=all has acknowledged: it was everywhere then, and every replica in sync has it ever after. */
import type { Checker, Judge } from "../checker.ts";
import { type BatchLook, batchWords } from "./log-mirror.ts";
import {
  inSyncOf,
  type LogEnds,
  leaderOf,
  lookWords,
  type PartitionLook,
  type ReplicaLook,
} from "./partition-look.ts";

/** A batch that was just acknowledged as acks=all. */
export interface Acknowledged {
  /** As the answer comes. */
  readonly look: PartitionLook;
  /** Just before each change of who leads or is in sync since time last passed: the answer may have been on its way by then. */
  readonly before: readonly PartitionLook[];
  readonly baseOffset: number;
  readonly nextOffset: number;
}

/** What is acknowledged, by base offset. */
type Kept = Map<number, BatchLook>;

export class AcknowledgedHeld implements Checker<PartitionLook> {
  readonly name = "acknowledged-held";
  readonly promise =
    "what acks=all has acknowledged is visible, and on the disk of every replica in sync, which are enough, from then until an unclean promotion";
  readonly #kept = new Map<string, { readonly unclean: number; readonly batches: Kept }>();
  /** By place and broker: which log was seen to hold all, and how much that was. */
  readonly #seen = new Map<string, string>();

  /** To be told in the instant of the acknowledgement. */
  acknowledged({ look, before, baseOffset, nextOffset }: Acknowledged, judge: Judge): void {
    const leader = leaderOf(look);
    if (leader === null) return;
    judge.asked();
    const problem = unkept(look, nextOffset);
    if (problem !== null && !before.some((each) => wasKept(each, nextOffset)))
      judge.violated(`${look.place} ${baseOffset} to ${nextOffset} was acknowledged ${problem}`, [
        lookWords(look),
      ]);
    const batch = leader.mirror.batches[leader.mirror.indexFrom(baseOffset)];
    if (batch?.baseOffset === baseOffset && !look.isCompacted && look.waitsForDisk)
      this.#keptOf(look).set(baseOffset, batch);
  }

  check(look: PartitionLook, judge: Judge): void {
    const kept = this.#keptOf(look);
    if (kept.size === 0 || look.isCompacted) return;
    for (const replica of inSyncOf(look)) {
      const key = `${look.place} ${replica.brokerId}`;
      const state = `${replica.mirror.version} ${kept.size}`;
      if (this.#seen.get(key) === state) continue;
      this.#seen.set(key, state);
      checkReplica(look, judge, replica, kept);
    }
  }

  /** An unclean promotion ends what was promised. */
  #keptOf({ place, uncleanPromotions: unclean }: PartitionLook): Kept {
    const known = this.#kept.get(place);
    if (known?.unclean === unclean) return known.batches;
    const batches: Kept = new Map();
    this.#kept.set(place, { unclean, batches });
    return batches;
  }
}

/** Why what lies below `nextOffset` could not be acknowledged in that instant; `null`: it could. */
function unkept(look: PartitionLook, nextOffset: number): string | null {
  const { highWatermark, inSyncReplicas, minInsyncReplicas, replicaIds, waitsForDisk } = look;
  if (highWatermark < nextOffset) return "above the high watermark";
  if (inSyncReplicas.length < Math.min(minInsyncReplicas, replicaIds.length))
    return `with fewer than ${minInsyncReplicas} in sync`;
  const late = waitsForDisk && inSyncOf(look).find(({ flushedOffset }) => flushedOffset < nextOffset);
  return late ? `when broker ${late.brokerId} had flushed ${late.flushedOffset}` : null;
}

/**
 * Whether it could be acknowledged then, or in the instant before, as far as anybody could know: a broker that has just stopped may have
 * been read when the acknowledgement was given, and of one whose log is gone nobody knows what it held.
 */
function wasKept(look: PartitionLook, nextOffset: number): boolean {
  const { inSyncReplicas, replicas, unreadable, waitsForDisk } = look;
  const holds = ({ logEndOffset, flushedOffset }: LogEnds) =>
    logEndOffset >= nextOffset && (!waitsForDisk || flushedOffset >= nextOffset);
  const holders = [...replicas, ...unreadable].filter(holds).map(({ brokerId }) => brokerId);
  return inSyncReplicas.every((id) => holders.includes(id)) && unkept(look, nextOffset) === null;
}

function checkReplica(look: PartitionLook, judge: Judge, replica: ReplicaLook, kept: Kept): void {
  const { mirror, logStartOffset, brokerId } = replica;
  for (const [baseOffset, batch] of kept) {
    if (batch.nextOffset <= logStartOffset) {
      kept.delete(baseOffset);
      continue;
    }
    judge.asked();
    const found = mirror.batches[mirror.indexFrom(baseOffset)];
    if (found?.baseOffset === baseOffset && found.crc === batch.crc) continue;
    judge.violated(
      `${look.place} ${baseOffset} was acknowledged by all, and broker ${brokerId}, in sync, does not have it`,
      [
        `acknowledged: ${batchWords(-1, batch)}`,
        found === undefined ? "nothing is there" : batchWords(brokerId, found),
        lookWords(look),
      ],
    );
  }
}
