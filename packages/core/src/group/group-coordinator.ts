/**
 * What members ask of their group (Kafka: GroupCoordinatorService, GroupMetadataManager).
 *
 * Invariants: a member hears of nothing that is not durable; whoever speaks in the group's current generation is alive, and
 * nobody else is.
 */
import { assert } from "../assert.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { otherKind } from "./classic/classic-refusals.ts";
import type { ClassicGroup } from "./classic/classic-state.ts";
import type { GroupChanges } from "./group-changes.ts";
import { joinEvent } from "./group-events.ts";
import { unknownGroup, unknownMember } from "./group-refusals.ts";
import {
  type AssignedPartition,
  type GroupTimeouts,
  type HeartbeatRequest,
  type JoinRequest,
  type JoinView,
  joiningOf,
  type MemberRequest,
  type MemberView,
  requireMember,
} from "./group-requests.ts";
import { assignmentOf, type Group, pendingOf } from "./group-state.ts";
import type { Partitions } from "./partition-sets.ts";

export class GroupCoordinator {
  readonly #changes: GroupChanges;
  readonly #timeouts: GroupTimeouts;

  constructor(changes: GroupChanges, timeouts: GroupTimeouts) {
    this.#changes = changes;
    this.#timeouts = timeouts;
  }

  /**
   * Makes the caller a member, or changes what it subscribes to. Asked again with the same, it changes nothing, so that it may be
   * retried. Rejects with INVALID_REQUEST, INCONSISTENT_GROUP_PROTOCOL, GROUP_MAX_SIZE_REACHED, and as CoordinatorShard.write.
   * Kafka: JoinGroup, ConsumerGroupHeartbeat with epoch 0 (KIP-848).
   */
  async join(request: JoinRequest, wait: Wait = {}): Promise<JoinView> {
    const { groupId, memberId } = request;
    const joining = joiningOf(request, this.#timeouts);
    const { sessionTimeoutMs, rebalanceTimeoutMs } = joining;
    return this.#changes.act(
      groupId,
      {
        event: (group) => joinEvent(group, joining),
        answer: (group, kinds) => {
          kinds.group.sessions.hear(groupId, memberId);
          return { ...viewOf(group, memberId), sessionTimeoutMs, rebalanceTimeoutMs };
        },
        whileClassic: () => {
          throw otherKind(groupId, "classic");
        },
      },
      wait,
    );
  }

  /**
   * Says that a member lives. What it has still to let go, and `owned` does not list, goes to whom it is meant for. Rejects with
   * UNKNOWN_GROUP, UNKNOWN_MEMBER, ILLEGAL_GENERATION, which is no sign of life, NOT_PARTITION_OWNER when `owned` lists what is
   * not the member's, and as CoordinatorShard.write. Kafka: Heartbeat, ConsumerGroupHeartbeat.
   */
  async heartbeat(request: HeartbeatRequest, wait: Wait = {}): Promise<MemberView> {
    const { groupId, memberId, generation, owned } = request;
    requireMember(request);
    return this.#changes.act(
      groupId,
      {
        event: () =>
          owned === undefined
            ? { kind: "heartbeat", memberId, generation }
            : { kind: "release", memberId, generation, owned },
        answer: (group, kinds) => {
          kinds.group.sessions.hear(groupId, memberId);
          return viewOf(group, memberId);
        },
        whileClassic: (group) => refuseMember(group, memberId),
      },
      wait,
    );
  }

  /** What a member may own in which generation. It is a question, and no sign of life. Rejects with UNKNOWN_GROUP, UNKNOWN_MEMBER. */
  async assignment(request: MemberRequest, wait: Wait = {}): Promise<MemberView> {
    const { groupId, memberId } = request;
    requireMember(request);
    return this.#changes.act(
      groupId,
      {
        event: () => null,
        answer: (group) => viewOf(group, memberId),
        whileClassic: (group) => refuseMember(group, memberId),
      },
      wait,
    );
  }

  /** Ends a membership. Rejects with UNKNOWN_GROUP, UNKNOWN_MEMBER. Kafka: LeaveGroup, ConsumerGroupHeartbeat with epoch -1. */
  async leave(request: MemberRequest, wait: Wait = {}): Promise<{ readonly generation: number }> {
    const { groupId, memberId } = request;
    requireMember(request);
    return this.#changes.act(
      groupId,
      {
        event: () => ({ kind: "leave", memberId }),
        answer: ({ generation }) => ({ generation }),
        whileClassic: (group) => refuseMember(group, memberId),
      },
      wait,
    );
  }
}

/** Members of a classic group ask otherwise (classic/classic-coordinator.ts). */
function refuseMember(group: ClassicGroup, memberId: string): never {
  throw unknownMember(group, memberId);
}

function viewOf(group: Group, memberId: string): MemberView {
  if (group.isDead) throw unknownGroup(group.groupId);
  const member = group.members.get(memberId);
  if (member === undefined) throw unknownMember(group, memberId);
  const { generation } = group;
  const { since: memberSince } = member;
  const assignment = identified(group, assignmentOf(member));
  return { generation, memberSince, assignment, pending: identified(group, pendingOf(member)) };
}

function identified({ topics }: Group, partitions: Partitions): AssignedPartition[] {
  return partitions.map((place) => {
    const seen = topics.get(place.topic);
    assert(seen !== undefined, `${place.topic} is a target, and was not seen`);
    return { ...place, topicId: seen.topicId };
  });
}
