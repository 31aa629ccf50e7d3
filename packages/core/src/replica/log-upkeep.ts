/** The background work on the logs of one partition. Each replica's log is its broker's own to keep. */
import type { ReplicaPlace } from "../env/trace.ts";
import type { CompactionRequest, CompactionResult } from "../log/compaction-request.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import type { PartitionReplicaSet } from "./replica-set.ts";

export interface CompactedLog {
  readonly place: ReplicaPlace;
  readonly result: CompactionResult;
}

/** One replica's log, and how far it may be worked on. */
interface ReplicaLog {
  readonly place: ReplicaPlace;
  readonly log: PartitionLog;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
}

/** Takes a pass of compaction over each replica's log that is due. Rejects with STORAGE_ERROR, BROKER_FAILED. */
export async function compact(
  set: PartitionReplicaSet,
  request: Omit<CompactionRequest, "cleanEnd">,
): Promise<CompactedLog[]> {
  const compacted: CompactedLog[] = [];
  for (const { place, log, highWatermark, lastStableOffset } of logsOf(set)) {
    const cleanEnd = Math.min(highWatermark, lastStableOffset);
    const result = await log.compact({ ...request, cleanEnd });
    if (result !== null) compacted.push({ place, result });
  }
  return compacted;
}

/** The logs that can be kept now: one that is off line has said so, and one that is being cut is its replica's alone. */
function logsOf(set: PartitionReplicaSet): ReplicaLog[] {
  const leader = set.leadership.onlineLeader;
  const { place, lastStableOffset } = set;
  return set.copies
    .filter(({ isOnline, isBeingCut }) => isOnline && !isBeingCut)
    .map((copy) => {
      const { brokerId, log } = copy;
      const highWatermark = copy === leader ? set.highWatermark : copy.highWatermark;
      return { place: { brokerId, ...place }, log, highWatermark, lastStableOffset };
    });
}
