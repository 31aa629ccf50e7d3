/** What is known of a partition's replicas after brokers have started, and what comes of it. */
import type { EpochEntry } from "../log/manifest/leader-epochs.ts";
import type { PartitionState } from "./partition-state.ts";

/** A replica whose broker has just started, or one that ran on. */
export interface StartedReplica {
  readonly brokerId: number;
  /** Its broker has just started. */
  readonly isNew: boolean;
  /** Its broker ended cleanly the last time. */
  readonly isClean: boolean;
  /** Its broker has just started on a folder that was put back from an older copy. */
  readonly isOlder: boolean;
  /** `null` when its log could not be opened, or its broker is stopped. */
  readonly logEndOffset: number | null;
  readonly lastEpoch: number | null;
  /** As its log was found, when its broker has just started. Rising; the last may be of a leader that wrote nothing. */
  readonly leaderEpochs: readonly EpochEntry[];
  /** The high watermark up to which it had everything on its disk; 0 when nobody noted one. */
  readonly durableHighWatermark: number;
  /** Where its log ended when its broker stopped, if that was in this process; otherwise `null`. */
  readonly closedEnd: number | null;
}

export type StartProblem =
  | "log_offline"
  | "unclean_start"
  | "older_copy"
  | "lost_records"
  | "outdated_metadata";

export interface StartMove {
  readonly brokerId: number;
  readonly reason: StartProblem;
  readonly logEndOffset: number | null;
}

export interface StartDecision {
  readonly state: PartitionState;
  readonly moves: readonly StartMove[];
}

/** By the epoch of the last batch, then by length: of two logs of one epoch, the longer one begins with the other. */
export function holdsMore(one: StartedReplica, other: StartedReplica): boolean {
  const [epoch, otherEpoch] = [one.lastEpoch ?? -1, other.lastEpoch ?? -1];
  return epoch !== otherEpoch ? epoch > otherEpoch : (one.logEndOffset ?? 0) > (other.logEndOffset ?? 0);
}
