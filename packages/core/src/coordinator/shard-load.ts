/**
 * How a shard comes into memory: the whole partition is read, from the first record to the last, in slices that let others
 * have their turn. Compaction keeps that short.
 */
import { decodeRecordsAs, readBatchHeader, splitFrames } from "@minikafka/record";
import { answeringForDisk } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import { partitionName } from "../replica/topic-partition.ts";
import { MalformedRecord, readRecord } from "./coordinator-record.ts";
import { LoadedShard } from "./loaded-shard.ts";
import { type KeptRecord, keptRecord, type RecordKinds } from "./record-kinds.ts";

/** Whether what was loaded is what a load would give now. Throws LEADER_NOT_AVAILABLE, STORAGE_ERROR, SHUTTING_DOWN. */
export function isCurrent(
  set: PartitionReplicaSet,
  loaded: { readonly log: PartitionLog; readonly leaderEpoch: number },
): boolean {
  if (set.isRetired) throw new BrokerError("SHUTTING_DOWN", `${partitionName(set.place)} is being closed`);
  return set.leaderLog === loaded.log && set.leaderEpoch === loaded.leaderEpoch;
}

/**
 * The state that the leader's log makes; `null` when the leadership has moved meanwhile. Rejects with LEADER_NOT_AVAILABLE, and
 * with STORAGE_ERROR for damage, which names the file or the record. What lies at or above the high watermark stays open.
 */
export async function loadShard<Kinds extends RecordKinds>(
  set: PartitionReplicaSet,
  kinds: Kinds,
  env: Env,
): Promise<LoadedShard<Kinds> | null> {
  const { log, isBeingCut } = set.leadership.requireLeader();
  if (isBeingCut) throw set.leadership.noLeader();
  const loaded = new LoadedShard(kinds, { log, leaderEpoch: set.leaderEpoch });
  const { logStartOffset: startOffset, logEndOffset: endOffset, place } = log;
  let records = 0;
  for (let offset = startOffset; offset < endOffset; ) {
    const { batches, nextOffset } = answeringForDisk(() => {
      env.faults.hit("coordinator.load.before_read", place);
      return log.read(offset, { bytesMax: LIMITS.coordinatorLoadBytes, endOffset });
    });
    for (const frame of splitFrames(batches)) records += takeFrame(loaded, frame, set);
    offset = nextOffset;
    await env.pause?.();
    if (!isCurrent(set, loaded)) return null;
  }
  const { leaderEpoch } = loaded;
  env.trace({ kind: "coordinator_loaded", ...place, leaderEpoch, startOffset, endOffset, records });
  return loaded;
}

/** Returns how many records it has. */
function takeFrame<Kinds extends RecordKinds>(
  loaded: LoadedShard<Kinds>,
  frame: Buffer,
  set: PartitionReplicaSet,
): number {
  const records = decodeRecordsAs(frame, (offset, _timestampMs, key, value) =>
    readAt(loaded.kinds, { offset, key, value }, set),
  );
  const { nextOffset } = readBatchHeader(frame);
  loaded.append(records, nextOffset);
  loaded.commit(set.highWatermark);
  return records.length;
}

function readAt(
  kinds: RecordKinds,
  { offset, key, value }: { offset: number; key: Buffer | null; value: Buffer | null },
  { place }: PartitionReplicaSet,
): KeptRecord {
  try {
    return keptRecord(kinds, readRecord(key, value));
  } catch (problem) {
    if (!(problem instanceof MalformedRecord)) throw problem;
    const message = `the record at offset ${offset} of ${partitionName(place)} cannot be understood: ${problem.message}`;
    throw new BrokerError("STORAGE_ERROR", message, { ...place, offset }, { cause: problem });
  }
}
