/** A partition in one instant, as anybody may see it who looks at each of its replicas. */
import type { PlaceName } from "../../history/place.ts";
import type { BatchLook, LogMirror } from "./log-mirror.ts";

export interface EpochLook {
  readonly leaderEpoch: number;
  readonly startOffset: number;
}

/** A replica that can be read. */
export interface ReplicaLook {
  readonly brokerId: number;
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly flushedOffset: number;
  /** As it has heard of it. */
  readonly highWatermark: number;
  /** Its log is just being cut. */
  readonly isBeingCut: boolean;
  readonly epochs: readonly EpochLook[];
  readonly mirror: LogMirror;
  /** Up to here it was compacted. */
  readonly compactedTo: number;
  /** What stood there before a compaction, when nothing else has changed it since the last look. */
  readonly compactedFrom: readonly BatchLook[] | null;
}

/** How far a log goes, and its disk has it. */
export type LogEnds = Pick<ReplicaLook, "brokerId" | "logEndOffset" | "flushedOffset">;

export interface PartitionLook {
  readonly place: PlaceName;
  /** Of the process: which one, from the first. */
  readonly life: number;
  /** `null` while nobody leads. */
  readonly leaderId: number | null;
  readonly leaderEpoch: number;
  readonly replicaIds: readonly number[];
  readonly inSyncReplicas: readonly number[];
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly isCompacted: boolean;
  readonly minInsyncReplicas: number;
  /** Whether the broker of some replica takes writes: none does once the disk has left it in doubt what the metadata say. */
  readonly takesWrites: boolean;
  /** Whether what acks=all acknowledges is on the disks. */
  readonly waitsForDisk: boolean;
  /** Whether high watermarks are noted: without, a start may show less than before. */
  readonly isNoted: boolean;
  /** The time of day. */
  readonly nowMs: number;
  /** The time that passes, whatever the time of day is set to. */
  readonly monotonicMs: number;
  /** How long one that lags may stay in sync. */
  readonly replicaLagTimeMs: number;
  /** How often somebody came to lead it who was out of sync. */
  readonly uncleanPromotions: number;
  /** How many processes before this one have ended as they should. */
  readonly cleanEnds: number;
  /** Those that can be read. */
  readonly replicas: readonly ReplicaLook[];
  /** Those that could be read before, by where their logs ended then: what they held they hold still. */
  readonly unreadable: readonly LogEnds[];
  /** Those whose broker serves, and whose log could not be opened. */
  readonly unopened: readonly { readonly brokerId: number; readonly why: string }[];
  /** A disk has refused something, or a folder was changed by hand: there may be logs that nobody can open. */
  readonly isHarmed: boolean;
}

/** Those in sync that can be read and are not being cut. */
export function inSyncOf({ replicas, inSyncReplicas }: PartitionLook): ReplicaLook[] {
  return replicas.filter(({ brokerId, isBeingCut }) => !isBeingCut && inSyncReplicas.includes(brokerId));
}

export function leaderOf({ replicas, leaderId }: PartitionLook): ReplicaLook | null {
  return replicas.find(({ brokerId }) => brokerId === leaderId) ?? null;
}

export function lookWords(look: PartitionLook): string {
  const { place, leaderId, leaderEpoch, inSyncReplicas, highWatermark, lastStableOffset, replicas } = look;
  const logs = replicas.map(
    ({ brokerId, logStartOffset, logEndOffset, highWatermark: heard }) =>
      `${brokerId} has ${logStartOffset} to ${logEndOffset}, heard of ${heard}`,
  );
  const who = `${place} is led by ${leaderId ?? "nobody"} in epoch ${leaderEpoch}, in sync ${inSyncReplicas.join(",")}`;
  return `${who}, high watermark ${highWatermark}, stable to ${lastStableOffset}; ${logs.join("; ")}`;
}
