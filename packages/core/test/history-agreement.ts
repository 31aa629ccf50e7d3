/** Whether the replicas of one partition hold the same. */
import assert from "node:assert/strict";
import type { PartitionReplicaSet } from "../src/replica/replica-set.ts";
import { assertAgree, type Held, heldBy, heldWithin, matchedEnd } from "./held-batches.ts";

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
}

/** Those in sync up to the high watermark, and any two as far as their leaders' epochs match; no sequence is twice in one. */
export function assertReplicasAgree(
  { highWatermark, copies, inSyncReplicas }: PartitionReplicaSet,
  isCompacted: boolean,
): void {
  const online = copies.filter(({ isOnline }) => isOnline).map((copy) => ({ copy, held: heldBy(copy.log) }));
  for (const { copy, held } of online) {
    const sequences = held.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]));
    assert.equal(new Set(sequences).size, sequences.length, `no sequence is twice on ${copy.brokerId}`);
  }
  for (const one of online) {
    for (const other of online) {
      if (one.copy.brokerId >= other.copy.brokerId) continue;
      const names = `${one.copy.brokerId} and ${other.copy.brokerId}`;
      const startOffset = Math.max(one.copy.log.logStartOffset, other.copy.log.logStartOffset);
      const both = [one.copy, other.copy].every(({ brokerId }) => inSyncReplicas.includes(brokerId));
      const endOffset = Math.max(
        both ? highWatermark : 0,
        isCompacted ? 0 : matchedEnd(one.held, other.held),
      );
      assertSame(one.held, other.held, { startOffset, endOffset }, isCompacted, names);
    }
  }
}

/** What two replicas in sync both hold of one offset below the high watermark is one record. */
export function assertSameWhereHeld({ highWatermark, copies, inSyncReplicas }: PartitionReplicaSet): void {
  const held = new Map<number, Held>();
  for (const copy of copies) {
    const { isOnline, brokerId } = copy;
    if (!isOnline || !inSyncReplicas.includes(brokerId)) continue;
    for (const batch of heldBy(copy.log)) {
      if (batch.record === null || batch.nextOffset > highWatermark) continue;
      const other = held.get(batch.offset) ?? batch;
      held.set(batch.offset, other);
      assert.deepEqual(batch.record, other.record, `${brokerId} holds what others do at ${batch.offset}`);
    }
  }
}

export function assertSame(
  ones: readonly Held[],
  others: readonly Held[],
  range: Range,
  isCompacted: boolean,
  names = "all replicas in the end",
): void {
  const what = `${names} agree from ${range.startOffset} to ${range.endOffset}`;
  if (isCompacted) assertAgree(ones, others, range, what);
  else assert.deepEqual(heldWithin(ones, range), heldWithin(others, range), what);
}
