/** What a consumer of a history sees: what is visible stays what it was, and what all have acknowledged is there. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { type HeldRecord, heldIn } from "./held-batches.ts";
import { ORDERS } from "./replica-world.ts";

export interface ReadHistory {
  readonly cluster: BrokerCluster;
  readonly isCompacted: boolean;
  /** What acks=all has acknowledged, by offset. */
  readonly acknowledged: ReadonlyMap<number, HeldRecord>;
  /** What a consumer has seen, by offset. */
  readonly seen: Map<number, HeldRecord>;
}

/** Reads all that is visible, while somebody leads. */
export function checkReaders(history: ReadHistory): void {
  const { cluster, acknowledged, seen } = history;
  const set = cluster.replicaSet(ORDERS);
  if (set.leaderId === null) return;
  const { highWatermark } = set;
  const { logStartOffset } = set.leaderLog;
  assert.ok(logStartOffset <= highWatermark, `the log begins at ${logStartOffset}, behind ${highWatermark}`);
  const there = new Set<number>();
  for (let offset = logStartOffset; offset < highWatermark; ) {
    const { batches, nextOffset } = cluster.fetch(ORDERS, offset, { bytesMax: 1 << 20 });
    for (const { offset: baseOffset, nextOffset: end, record } of heldIn(batches)) {
      assert.ok(end <= highWatermark, `a consumer got ${baseOffset} at high watermark ${highWatermark}`);
      if (record === null) continue;
      const before = seen.get(baseOffset) ?? record;
      assert.deepEqual(record, before, `offset ${baseOffset} is what it was`);
      seen.set(baseOffset, record);
      there.add(baseOffset);
    }
    offset = nextOffset;
  }
  for (const [offset, record] of acknowledged) {
    assert.ok(offset < highWatermark, `acknowledged ${offset} is not visible at ${highWatermark}`);
    if (offset < logStartOffset || mayBeGone(history, offset, record)) continue;
    assert.ok(there.has(offset), `acknowledged ${offset} is there`);
    assert.deepEqual(seen.get(offset), record, `acknowledged ${offset}`);
  }
}

/** Compaction takes what a later record of its key replaces, and tombstones in time. */
function mayBeGone({ isCompacted, seen }: ReadHistory, offset: number, { key, value }: HeldRecord): boolean {
  if (!isCompacted) return false;
  return value === null || [...seen].some(([later, record]) => later > offset && record.key === key);
}
