/**
 * How a shard comes into memory: the whole partition is read, from the first record to the last, in slices that let others
 * have their turn. Compaction keeps that short.
 */
import { decodeRecordsAs, readBatchHeader } from "@minikafka/record";
import { answeringForDisk, answeringForDiskLater } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import { partitionName } from "../replica/topic-partition.ts";
import { MalformedRecord } from "./coordinator-record.ts";
import { LoadedShard } from "./loaded-shard.ts";
import { type PlacedRecord, placedRecord, type RecordBytes, type RecordKinds } from "./record-kinds.ts";

/** Whether what was loaded is what a load would give now. Throws LEADER_NOT_AVAILABLE, STORAGE_ERROR, SHUTTING_DOWN. */
export function isCurrent(
  set: PartitionReplicaSet,
  loaded: { readonly log: PartitionLog; readonly leaderEpoch: number },
): boolean {
  if (set.isRetired) throw new BrokerError("SHUTTING_DOWN", `${partitionName(set.place)} is being closed`);
  return set.leaderLog === loaded.log && set.leaderEpoch === loaded.leaderEpoch;
}

/**
 * The state that the leader's log makes; `null` when the leadership has moved meanwhile. Rejects with LEADER_NOT_AVAILABLE, with
 * STORAGE_ERROR for damage, which names the file or the record, and as PartitionLog.flush does. What lies at or above the high
 * watermark with which it begins stays open.
 */
export async function loadShard<Kinds extends RecordKinds>(
  set: PartitionReplicaSet,
  kinds: Kinds,
  env: Env,
): Promise<LoadedShard<Kinds> | null> {
  const { log, isBeingCut } = set.leadership.requireLeader();
  if (isBeingCut) throw set.leadership.noLeader();
  const loaded = new LoadedShard(kinds, { log, leaderEpoch: set.leaderEpoch });
  const certainEnd = await certainEndOf(set, loaded);
  if (certainEnd === null || !isCurrent(set, loaded)) return null;
  const { logStartOffset: startOffset, logEndOffset: endOffset, place } = log;
  let records = 0;
  for (let offset = startOffset; offset < endOffset; ) {
    await answeringForDiskLater(() => env.faults.waitAt("coordinator.load.before_read", place));
    if (!isCurrent(set, loaded)) return null;
    const { batches, nextOffset } = answeringForDisk(() =>
      log.read(offset, { bytesMax: LIMITS.coordinatorLoadBytes, endOffset }),
    );
    records += takeBatches(loaded, batches, { set, certainEnd });
    offset = nextOffset;
    await env.pause?.();
    if (!isCurrent(set, loaded)) return null;
  }
  const { leaderEpoch } = loaded;
  env.trace({ kind: "coordinator_loaded", ...place, leaderEpoch, startOffset, endOffset, records });
  return loaded;
}

/**
 * Up to where nobody can lose it any more; `null` when the leadership has moved. What a process wrote and did not live to sync lies
 * below the high watermark too, and so does what a follower has told to have, and not synced before its leader stopped waiting for
 * it. Nobody may act on what the power can take.
 */
async function certainEndOf(
  set: PartitionReplicaSet,
  loaded: { readonly log: PartitionLog; readonly leaderEpoch: number },
): Promise<number | null> {
  try {
    return await set.whenVisibleIsKept();
  } catch (problem) {
    if (problem instanceof BrokerError && !isCurrent(set, loaded)) return null;
    throw problem;
  }
}

/** Returns how many records there are. The log has checked the bytes. */
function takeBatches<Kinds extends RecordKinds>(
  loaded: LoadedShard<Kinds>,
  batches: Buffer,
  { set, certainEnd }: { readonly set: PartitionReplicaSet; readonly certainEnd: number },
): number {
  let count = 0;
  for (let position = 0; position < batches.length; ) {
    const header = readBatchHeader(batches, position);
    const frame = batches.subarray(position, position + header.frameBytes);
    position += header.frameBytes;
    const { nextOffset, producerId, control } = header;
    const isCertain = nextOffset <= certainEnd && loaded.openCount === 0;
    if (control !== null) {
      const marker = { nextOffset, producerId, control };
      if (isCertain) loaded.restoreEnd(marker);
      else loaded.end(marker);
      continue;
    }
    const records = decodeRecordsAs(frame, (offset, _timestampMs, key, value) =>
      readAt(loaded.kinds, { offset, key, value }, set),
    );
    const batch = { nextOffset, records, producerId: header.transactional ? producerId : null };
    if (isCertain) loaded.restore(batch);
    else loaded.append(batch);
    count += records.length;
  }
  return count;
}

function readAt(kinds: RecordKinds, bytes: RecordBytes, { place }: PartitionReplicaSet): PlacedRecord {
  try {
    return placedRecord(kinds, bytes);
  } catch (problem) {
    if (!(problem instanceof MalformedRecord)) throw problem;
    const { offset } = bytes;
    const message = `the record at offset ${offset} of ${partitionName(place)} cannot be understood: ${problem.message}`;
    throw new BrokerError("STORAGE_ERROR", message, { ...place, offset }, { cause: problem });
  }
}
