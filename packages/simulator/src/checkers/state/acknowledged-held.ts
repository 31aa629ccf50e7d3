/** What acks=all has acknowledged: it was everywhere then, and every replica in sync has it ever after. */
import type { Checker, Judge } from "../checker.ts";
import { type BatchLook, batchWords } from "./log-mirror.ts";
import { inSyncOf, leaderOf, lookWords, type PartitionLook, type ReplicaLook } from "./partition-look.ts";

/** A batch that the leader has just acknowledged as acks=all. */
export interface Acknowledged {
  readonly look: PartitionLook;
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
  acknowledged({ look, baseOffset, nextOffset }: Acknowledged, judge: Judge): void {
    const leader = leaderOf(look);
    const { waitsForDisk: isFlushed, inSyncReplicas, minInsyncReplicas, replicaIds } = look;
    if (leader === null) return;
    judge.asked();
    const what = `${look.place} ${baseOffset} to ${nextOffset} was acknowledged`;
    if (look.highWatermark < nextOffset)
      judge.violated(`${what} above the high watermark`, [lookWords(look)]);
    if (inSyncReplicas.length < Math.min(minInsyncReplicas, replicaIds.length))
      judge.violated(`${what} with fewer than ${minInsyncReplicas} in sync`, [lookWords(look)]);
    for (const { brokerId, flushedOffset } of inSyncOf(look))
      if (isFlushed && flushedOffset < nextOffset)
        judge.violated(`${what}, and broker ${brokerId} has flushed ${flushedOffset}`, [lookWords(look)]);
    const batch = leader.mirror.batches[leader.mirror.indexFrom(baseOffset)];
    if (batch?.baseOffset === baseOffset && !look.isCompacted && isFlushed)
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
