/** Where a partition begins, ends and is visible to: in one instant, and from one to the next. */
import type { Checker, Judge } from "../checker.ts";
import { inSyncOf, leaderOf, lookWords, type PartitionLook } from "./partition-look.ts";

export const marksInOrder: Checker<PartitionLook> = {
  name: "marks-in-order",
  promise:
    "log start <= high watermark <= the end of every in-sync log; nobody has heard of a later high watermark than there is",
  check(look, judge) {
    const { highWatermark, lastStableOffset, place } = look;
    const leader = leaderOf(look);
    if (leader === null) return;
    judge.asked();
    const wrong = (problem: string) => judge.violated(`${problem} in ${place}`, [lookWords(look)]);
    if (leader.logStartOffset > highWatermark) wrong("the log starts above the high watermark");
    if (lastStableOffset > highWatermark) wrong("the last stable offset is above the high watermark");
    for (const { brokerId, logEndOffset, highWatermark: heard } of inSyncOf(look)) {
      if (logEndOffset < highWatermark)
        wrong(`broker ${brokerId} is in sync, and ends at ${logEndOffset}, below the high watermark`);
      if (heard > highWatermark) wrong(`broker ${brokerId} has heard of a later high watermark, ${heard},`);
      if (heard > logEndOffset) wrong(`broker ${brokerId} has heard of more than it holds, ${heard},`);
    }
  },
};

/** From one look at a partition to the next: what only grows. */
export class MarksGrow implements Checker<PartitionLook> {
  readonly name = "marks-grow";
  readonly promise =
    "in one life, and over a clean end, the high watermark never goes back but by an unclean promotion; nor in one life within a leadership what is stable, and the leader's end";
  readonly #last = new Map<string, PartitionLook>();

  check(look: PartitionLook, judge: Judge): void {
    const before = this.#last.get(look.place);
    if (leaderOf(look) !== null) this.#last.set(look.place, look);
    if (before === undefined || leaderOf(look) === null) return;
    const isOneLife = before.life === look.life;
    if (!(isOneLife || isCleanlyFollowed(before, look))) return;
    if (before.uncleanPromotions !== look.uncleanPromotions) return;
    judge.asked();
    const goesBack = (what: string, from: number, to: number) => {
      if (to >= from) return;
      const evidence = [lookWords(before), lookWords(look)];
      judge.violated(`${what} of ${look.place} goes back from ${from} to ${to}`, evidence);
    };
    goesBack("the high watermark", before.highWatermark, look.highWatermark);
    if (!isOneLife || before.leaderEpoch !== look.leaderEpoch) return;
    goesBack("the last stable offset", before.lastStableOffset, look.lastStableOffset);
    const [was, is] = [leaderOf(before), leaderOf(look)];
    if (was === null || is === null || was.brokerId !== is.brokerId) return;
    goesBack("the leader's log end", was.logEndOffset, is.logEndOffset);
    goesBack("the leader's log start", was.logStartOffset, is.logStartOffset);
  }
}

/** One process ended as it should, and the next one knows what it noted. Kafka: the replication-offset-checkpoint of a controlled shutdown. */
function isCleanlyFollowed(before: PartitionLook, look: PartitionLook): boolean {
  return look.isNoted && look.life === before.life + 1 && look.cleanEnds === before.cleanEnds + 1;
}

/** Who leads, from the first epoch to the last. */
export class OneLeader implements Checker<PartitionLook> {
  readonly name = "one-leader";
  readonly promise =
    "the leader is in sync, an epoch has one leader, and epochs only rise, whatever the process and the disk go through";
  readonly #leaders = new Map<string, number>();
  readonly #last = new Map<string, PartitionLook>();

  check(look: PartitionLook, judge: Judge): void {
    const { place, leaderId, leaderEpoch, inSyncReplicas, replicaIds } = look;
    const before = this.#last.get(place);
    // A leadership of which the disk may know nothing writes nothing: if that is so after a power cut, its epoch is another one's.
    if (!look.takesWrites) return;
    this.#last.set(place, look);
    judge.asked();
    if (before !== undefined && leaderEpoch < before.leaderEpoch)
      judge.violated(`the leader epoch of ${place} goes back from ${before.leaderEpoch} to ${leaderEpoch}`, [
        lookWords(before),
        lookWords(look),
      ]);
    if (inSyncReplicas.some((brokerId) => !replicaIds.includes(brokerId)))
      judge.violated(`somebody is in sync who has no replica of ${place}`, [lookWords(look)]);
    if (leaderId === null) return;
    if (!inSyncReplicas.includes(leaderId))
      judge.violated(`broker ${leaderId} leads ${place}, and is out of sync`, [lookWords(look)]);
    const epoch = `${place} ${leaderEpoch}`;
    const other = this.#leaders.get(epoch) ?? leaderId;
    this.#leaders.set(epoch, leaderId);
    if (other !== leaderId)
      judge.violated(`epoch ${leaderEpoch} of ${place} has two leaders, ${other} and ${leaderId}`, [
        lookWords(look),
      ]);
  }
}

/** KIP-966: what one failure could take does not become visible, but for what had been, as one knows who comes to lead out of sync. */
export class VisibleByEnough implements Checker<PartitionLook> {
  readonly name = "visible-by-enough";
  readonly promise =
    "the high watermark stands still while fewer than min_insync_replicas are in sync; an unclean promotion shows at most what its leader had heard to be visible";
  readonly #last = new Map<string, PartitionLook>();

  check(look: PartitionLook, judge: Judge): void {
    const before = this.#last.get(look.place);
    this.#last.set(look.place, look);
    if (before === undefined || before.life !== look.life || !(isShort(before) && isShort(look))) return;
    judge.asked();
    if (look.highWatermark > Math.max(before.highWatermark, heardBefore(before, look)))
      judge.violated(`the high watermark of ${look.place} has moved with too few in sync`, [
        lookWords(before),
        lookWords(look),
      ]);
  }
}

/** What one who has come to lead since, out of sync, had heard to be visible; nobody knows of one that could not be read before. */
function heardBefore(before: PartitionLook, look: PartitionLook): number {
  if (before.uncleanPromotions === look.uncleanPromotions) return 0;
  const leader = before.replicas.find(({ brokerId }) => brokerId === look.leaderId);
  return leader?.highWatermark ?? look.highWatermark;
}

function isShort({ inSyncReplicas, minInsyncReplicas, replicaIds }: PartitionLook): boolean {
  return inSyncReplicas.length < Math.min(minInsyncReplicas, replicaIds.length);
}

/** KIP-966: whoever counts for acknowledgements holds what was acknowledged before. */
export class JoinsFlushed implements Checker<PartitionLook> {
  readonly name = "joins-flushed";
  readonly promise =
    "a replica that comes in sync has on its disk what was visible before, where acknowledgements wait for disks";
  readonly #last = new Map<string, PartitionLook>();

  check(look: PartitionLook, judge: Judge): void {
    const before = this.#last.get(look.place);
    this.#last.set(look.place, look);
    if (before === undefined || before.life !== look.life || !look.waitsForDisk) return;
    if (before.uncleanPromotions !== look.uncleanPromotions || leaderOf(before) === null) return;
    for (const { brokerId, flushedOffset } of inSyncOf(look)) {
      if (before.inSyncReplicas.includes(brokerId)) continue;
      judge.asked();
      if (flushedOffset < before.highWatermark)
        judge.violated(
          `broker ${brokerId} has come in sync in ${look.place} with ${flushedOffset} on its disk; ${before.highWatermark} was visible`,
          [lookWords(before), lookWords(look)],
        );
    }
  }
}
