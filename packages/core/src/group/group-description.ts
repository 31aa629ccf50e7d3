/** What is shown of groups of both kinds. */
import type { UnreadableShard } from "../coordinator/read-shards.ts";
import type { AssignorName } from "./assignors/assignor.ts";
import type { ClassicState } from "./classic/classic-state.ts";
import type { GroupState, LastRebalance } from "./group-state.ts";
import type { Partitions } from "./partition-sets.ts";
import type { RebalanceDial } from "./rebalance.ts";

/** A group that is there. */
export type LivingState = Exclude<GroupState | ClassicState, "dead">;

/** Who shares the partitions out: the coordinator, or the members among themselves. */
export type GroupType = "consumer" | "classic";

export interface GroupListing {
  readonly groupId: string;
  readonly type: GroupType;
  /** What its members call themselves, "consumer" those of a consumer group; `null` when it never had any. */
  readonly protocolType: string | null;
  readonly state: LivingState;
  readonly generation: number;
  /** How many. */
  readonly members: number;
  /** The broker that leads the group's partition of the internal topic; `null` when none does. */
  readonly coordinatorId: number | null;
}

export interface GroupListings {
  readonly groups: readonly GroupListing[];
  /** Partitions of the internal topic whose groups are not known now. */
  readonly unreadable: readonly UnreadableShard[];
}

export interface MemberDescription {
  readonly memberId: string;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** Since it was heard of last. */
  readonly heartbeatAgeMs: number;
  readonly assignment: Partitions;
  readonly pending: Partitions;
  readonly revoking: Partitions;
  /** `null` of a member of a consumer group. */
  readonly classic: ClassicMemberFacts | null;
}

/** What is known of a member of a classic group beside its name. `topics` and `assignment` are read from it where they can be. */
export interface ClassicMemberFacts {
  /** Of a static member (KIP-345). */
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  /** What it says for the group's protocol. */
  readonly metadata: Buffer;
  readonly assignment: Buffer;
}

export interface GroupDescription {
  readonly groupId: string;
  readonly type: GroupType;
  readonly state: LivingState;
  readonly generation: number;
  /** What the members of a classic group go by, each `null` where there is nothing; `null` of a consumer group. */
  readonly classic: {
    readonly protocolType: string | null;
    readonly protocol: string | null;
    readonly leaderId: string | null;
  } | null;
  readonly assignor: AssignorName | null;
  readonly rebalance: RebalanceDial;
  readonly coordinatorId: number | null;
  /** The partition of the internal topic that holds the group. */
  readonly offsetsPartition: number;
  /** The one that is under way in a classic group, of the generation to come, or else the last. */
  readonly lastRebalance: LastRebalance | null;
  readonly members: readonly MemberDescription[];
}
