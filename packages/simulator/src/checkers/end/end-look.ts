/** A cluster once everything should have come together: each replica's records, each group, each transactional id. */
import type { PlaceName } from "../../history/place.ts";

/** A record that stands in a log, and whether it counts. */
export interface StandingRecord {
  readonly offset: number;
  readonly key: string | null;
  readonly isTombstone: boolean;
  /** Key, value and headers. */
  readonly content: string;
  readonly fate: "plain" | "committed" | "aborted" | "open";
}

export interface EndReplica {
  readonly brokerId: number;
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly records: readonly StandingRecord[];
}

export interface EndPartition {
  readonly place: PlaceName;
  readonly leaderId: number | null;
  readonly replicaIds: readonly number[];
  readonly inSyncReplicas: readonly number[];
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly isCompacted: boolean;
  /** Those that can be read. */
  readonly replicas: readonly EndReplica[];
}

export interface EndMember {
  readonly memberId: string;
  readonly topics: readonly string[];
  readonly assignment: readonly PlaceName[];
  readonly revoking: readonly PlaceName[];
}

export interface EndGroup {
  readonly groupId: string;
  readonly state: string;
  readonly members: readonly EndMember[];
}

export interface EndTransaction {
  readonly transactionalId: string;
  readonly state: string;
  /** Whether an open one is older than it may become. */
  readonly isOverdue: boolean;
}

export interface EndLook {
  readonly partitions: readonly EndPartition[];
  readonly groups: readonly EndGroup[];
  readonly transactions: readonly EndTransaction[];
}
