/** What is shown of groups: only what is acknowledged. */
import type { CoordinatorShard } from "../coordinator/coordinator-shard.ts";
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { readShards } from "../coordinator/read-shards.ts";
import { describeClassic, shownClassic } from "./classic/classic-views.ts";
import { CONSUMER_PROTOCOL_TYPE } from "./classic/consumer-protocol.ts";
import type {
  GroupDescription,
  GroupListing,
  GroupListings,
  MemberDescription,
} from "./group-description.ts";
import { committedGroup, type GroupKinds } from "./group-kinds.ts";
import { unknownGroup } from "./group-refusals.ts";
import { requireGroupId } from "./group-requests.ts";
import { assignmentOf, type Group, type Member, pendingOf, revokingOf, stateOf } from "./group-state.ts";
import type { RebalanceDial } from "./rebalance.ts";

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

  /** The same without waiting, of the partitions that are in memory in this instant. */
  listNow(): GroupListing[] {
    const groups = this.#parts.topic.shards().flatMap((shard) => {
      const { kinds } = shard.standing;
      return kinds === null ? [] : listingsOf(kinds, shard);
    });
    return groups.sort((left, right) => (left.groupId < right.groupId ? -1 : 1));
  }

  /** Rejects with UNKNOWN_GROUP, and as CoordinatorShard.read does. Kafka: ConsumerGroupDescribe (KIP-848). */
  async describe(groupId: string, wait: Wait = {}): Promise<GroupDescription> {
    requireGroupId(groupId);
    const shard = this.#parts.topic.shardOf(groupId);
    if (shard === null) throw unknownGroup(groupId);
    return shard.read((kinds) => {
      const described = this.#described(kinds, groupId, shard);
      if (described === null) throw unknownGroup(groupId);
      return described;
    }, wait);
  }

  /** The same without waiting; `null` where there is no such group, and where its partition is not in memory in this instant. */
  describeNow(groupId: string): GroupDescription | null {
    const shard = this.#parts.topic.shardOf(groupId);
    const kinds = shard?.standing.kinds ?? null;
    return shard === null || kinds === null ? null : this.#described(kinds, groupId, shard);
  }

  #described(
    kinds: GroupKinds,
    groupId: string,
    shard: CoordinatorShard<GroupKinds>,
  ): GroupDescription | null {
    const common = {
      groupId,
      rebalance: this.#parts.rebalance,
      coordinatorId: shard.coordinatorId,
      offsetsPartition: shard.partition,
    };
    const shown = shownClassic(kinds, groupId);
    if (shown !== null) return { ...common, type: "classic", assignor: null, ...describeClassic(shown) };
    const group = committedGroup(kinds, groupId);
    const state = stateOf(group);
    if (state === "dead") return null;
    const { generation, assignor, lastRebalance } = group;
    return {
      ...common,
      type: "consumer",
      classic: null,
      state,
      generation,
      assignor,
      lastRebalance,
      members: [...group.members.values()].map((member) => describeMember(kinds, group, member)),
    };
  }
}

function listingsOf(kinds: GroupKinds, { coordinatorId }: CoordinatorShard<GroupKinds>): GroupListing[] {
  const groupIds = new Set(kinds.offset.groupIds());
  for (const { groupId, isDead } of kinds.group.allCommitted()) if (!isDead) groupIds.add(groupId);
  for (const [groupId] of kinds.group.classic.rooms()) groupIds.add(groupId);
  return [...groupIds].flatMap((groupId): GroupListing[] => {
    const classic = shownClassic(kinds, groupId);
    if (classic !== null) {
      const { state, generation, members, protocolType } = classic;
      return [
        { groupId, type: "classic", protocolType, state, generation, members: members.size, coordinatorId },
      ];
    }
    const group = committedGroup(kinds, groupId);
    const state = stateOf(group);
    if (state === "dead") return [];
    const { generation, members } = group;
    const protocolType = generation > 0 ? CONSUMER_PROTOCOL_TYPE : null;
    const of = { groupId, type: "consumer" as const, protocolType };
    return [{ ...of, state, generation, members: members.size, coordinatorId }];
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
    classic: null,
  };
}
