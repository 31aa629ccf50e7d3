/** What a compaction has left of a replica's log, beside what stood there before: KIP-534, and what every key is owed. */
import type { Checker, Judge } from "../checker.ts";
import { type BatchLook, batchWords, type RecordLook } from "./log-mirror.ts";
import { lookWords, type PartitionLook, type ReplicaLook } from "./partition-look.ts";

interface Standing {
  readonly record: RecordLook;
  readonly batch: BatchLook;
}

export class CompactionKeeps implements Checker<PartitionLook> {
  readonly name = "compaction-keeps";
  readonly promise =
    "compaction adds nothing, touches nothing that is not visible and decided, and leaves the last record of each key that counts, and nothing that was aborted; a tombstone goes when its time is over";

  check(look: PartitionLook, judge: Judge): void {
    // One that is being cut has lost its end before it says so.
    for (const replica of look.replicas)
      if (replica.compactedFrom !== null && !replica.isBeingCut)
        checkReplica(look, judge, replica, replica.compactedFrom);
  }
}

function checkReplica(
  look: PartitionLook,
  judge: Judge,
  replica: ReplicaLook,
  before: readonly BatchLook[],
): void {
  const { brokerId, logStartOffset, mirror, highWatermark: heard } = replica;
  const endOffset = before.at(-1)?.nextOffset ?? 0;
  // What came behind it meanwhile may have been known to the compaction, too.
  const known = [...before, ...mirror.batches.slice(mirror.indexFrom(endOffset))];
  // Each goes by what it has heard, as in Kafka: one whose leader's successor was out of sync has heard of more than is visible now. It
  // begins anew where it would have to give up what older records went for.
  const { decidedEnd, aborted } = decisionsIn(known, Math.max(look.highWatermark, heard));
  const after = new Map(standingIn(mirror.batches).map((each) => [each.record.offset, each]));
  const wrong = (problem: string, batch: BatchLook) => {
    const evidence = [`before: ${batchWords(brokerId, batch)}`, `decided to ${decidedEnd}`, lookWords(look)];
    judge.violated(`compaction of ${look.place} on ${brokerId} ${problem}`, evidence);
  };
  const crcs = new Map(mirror.batches.map(({ baseOffset, crc }) => [baseOffset, crc]));
  for (const batch of before) {
    if (batch.baseOffset < Math.max(decidedEnd, logStartOffset)) continue;
    judge.asked();
    if (crcs.get(batch.baseOffset) !== batch.crc)
      wrong(`has changed ${batch.baseOffset}, which is not decided`, batch);
  }
  for (const batch of mirror.batches) {
    if (!aborted.has(batch.baseOffset)) continue;
    judge.asked();
    if (batch.recordCount > 0 && batch.nextOffset <= replica.compactedTo)
      wrong(`has left ${batch.baseOffset}, which was aborted`, batch);
  }
  const stood = new Map(standingIn(known).map((each) => [each.record.offset, each]));
  for (const [offset, { record, batch }] of after) {
    if (offset >= endOffset) continue;
    if (stood.get(offset)?.record.key !== record.key) wrong(`has made the record at ${offset} up`, batch);
  }
  for (const { record, batch } of lastOfKeys(stood.values(), decidedEnd, aborted)) {
    if (record.offset < logStartOffset) continue;
    judge.asked();
    if (after.has(record.offset) || mayGo(record, batch, look.nowMs)) continue;
    wrong(
      `took ${record.key ?? "the record without a key"} at ${record.offset}, the last that counts`,
      batch,
    );
  }
}

/** Tombstones have a time of grace from their first cleaning. */
function mayGo({ isTombstone }: RecordLook, { deleteHorizonMs }: BatchLook, nowMs: number): boolean {
  return isTombstone && deleteHorizonMs !== null && nowMs >= deleteHorizonMs;
}

function standingIn(batches: readonly BatchLook[]): Standing[] {
  return batches.flatMap((batch) => (batch.records ?? []).map((record) => ({ record, batch })));
}

/** Below `decidedEnd` it is known of every batch whether it counts; by base offset: those that do not. */
function decisionsIn(batches: readonly BatchLook[], highWatermark: number) {
  const aborted = new Set<number>();
  const open = new Map<number, BatchLook[]>();
  for (const batch of batches) {
    const { control, producerId, transactional, baseOffset, recordCount } = batch;
    if (baseOffset >= highWatermark) break;
    if (control === null && (!transactional || recordCount === 0)) continue;
    const own = open.get(producerId) ?? [];
    if (control === null) open.set(producerId, [...own, batch]);
    else {
      if (control === "abort") for (const each of own) aborted.add(each.baseOffset);
      open.delete(producerId);
    }
  }
  const firsts = [...open.values()].map(([first]) => first?.baseOffset ?? highWatermark);
  return { decidedEnd: Math.min(highWatermark, ...firsts), aborted };
}

/** Everything that no later record of its key replaces. */
function lastOfKeys(
  standing: Iterable<Standing>,
  decidedEnd: number,
  aborted: ReadonlySet<number>,
): Standing[] {
  const last = new Map<string, Standing>();
  const keyless: Standing[] = [];
  for (const each of standing) {
    const { record, batch } = each;
    if (record.offset >= decidedEnd || aborted.has(batch.baseOffset)) continue;
    if (record.key === null) keyless.push(each);
    else last.set(record.key, each);
  }
  return [...last.values(), ...keyless];
}
