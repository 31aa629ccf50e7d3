/** What is shown of groups: only what is acknowledged. */
import type { CoordinatorShard } from "../coordinator/coordinator-shard.ts";
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { readShards, type UnreadableShard } from "../coordinator/read-shards.ts";
import type { AssignorName } from "./assignors/assignor.ts";
import { committedGroup, type GroupKinds } from "./group-kinds.ts";
import { unknownGroup } from "./group-refusals.ts";
import { requireGroupId } from "./group-requests.ts";
import {
  assignmentOf,
  type Group,
  type GroupState,
  type LastRebalance,
  type Member,
  pendingOf,
  revokingOf,
  stateOf,
} from "./group-state.ts";
import type { Partitions } from "./partition-sets.ts";
import type { RebalanceDial } from "./rebalance.ts";

/** A group that is there. */
export type LivingState = Exclude<GroupState, "dead">;

export interface GroupListing {
  readonly groupId: string;
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
}

export interface GroupDescription {
  readonly groupId: string;
  readonly state: LivingState;
  readonly generation: number;
  readonly assignor: AssignorName | null;
  readonly rebalance: RebalanceDial;
  readonly coordinatorId: number | null;
  /** The partition of the internal topic that holds the group. */
  readonly offsetsPartition: number;
  readonly lastRebalance: LastRebalance | null;
  readonly members: readonly MemberDescription[];
}

export interface GroupViewsParts {
  readonly topic: CoordinatorTopic<GroupKinds>;
  readonly rebalance: RebalanceDial;
}

export class GroupViews {
  readonly #parts: GroupViewsParts;

  constructor(parts: GroupViewsParts) {
    this.#parts = parts;
  }

  /**
   * All groups by name: those with members, those that had some, and those with committed offsets; and the partitions of the
   * internal topic whose groups are missing, since they cannot be read. Rejects when none can. Kafka: ListGroups, which a
   * client asks of each broker, so that the groups of one that is down are missing there as well.
   */
  async list(wait: Wait = {}): Promise<GroupListings> {
    const { items: groups, unreadable } = await readShards(this.#parts.topic, listingsOf, wait);
    groups.sort((left, right) => (left.groupId < right.groupId ? -1 : 1));
    return { groups, unreadable };
  }

  /** Rejects with UNKNOWN_GROUP, and as CoordinatorShard.read does. Kafka: ConsumerGroupDescribe (KIP-848). */
  async describe(groupId: string, wait: Wait = {}): Promise<GroupDescription> {
    requireGroupId(groupId);
    const shard = this.#parts.topic.shardOf(groupId);
    if (shard === null) throw unknownGroup(groupId);
    return shard.read((kinds) => this.#described(kinds, groupId, shard), wait);
  }

  #described(kinds: GroupKinds, groupId: string, shard: CoordinatorShard<GroupKinds>): GroupDescription {
    const group = committedGroup(kinds, groupId);
    const state = stateOf(group);
    if (state === "dead") throw unknownGroup(groupId);
    const { generation, assignor, lastRebalance } = group;
    return {
      groupId,
      state,
      generation,
      assignor,
      rebalance: this.#parts.rebalance,
      coordinatorId: shard.coordinatorId,
      offsetsPartition: shard.partition,
      lastRebalance,
      members: [...group.members.values()].map((member) => describeMember(kinds, group, member)),
    };
  }
}

function listingsOf(kinds: GroupKinds, { coordinatorId }: CoordinatorShard<GroupKinds>): GroupListing[] {
  const groupIds = new Set(kinds.offset.groupIds());
  for (const { groupId, isDead } of kinds.group.allCommitted()) if (!isDead) groupIds.add(groupId);
  return [...groupIds].flatMap((groupId) => {
    const group = committedGroup(kinds, groupId);
    const state = stateOf(group);
    if (state === "dead") return [];
    return [{ groupId, state, generation: group.generation, members: group.members.size, coordinatorId }];
  });
}

function describeMember(kinds: GroupKinds, { groupId }: Group, member: Member): MemberDescription {
  const { memberId, topics, sessionTimeoutMs, rebalanceTimeoutMs } = member;
  return {
    memberId,
    topics,
    sessionTimeoutMs,
    rebalanceTimeoutMs,
    heartbeatAgeMs: kinds.group.sessions.silenceMs(groupId, memberId),
    assignment: assignmentOf(member),
    pending: pendingOf(member),
    revoking: revokingOf(member),
  };
}
