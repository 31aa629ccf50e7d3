/**
 * What members ask of their classic group (Kafka: JoinGroup, SyncGroup, Heartbeat, LeaveGroup of GroupCoordinator; KIP-62, KIP-345,
 * KIP-394, KIP-800, KIP-814). How partitions are shared out, also step by step (KIP-429), is between the members.
 *
 * Invariants: a member hears of nothing that is not durable; the members of a generation hear of the same protocol and leader; who
 * speaks in the group's current generation is alive.
 */
import type { Wait } from "../../coordinator/give-up.ts";
import { unlessGivenUp } from "../../coordinator/give-up.ts";
import type { Env } from "../../env/env.ts";
import type { BrokerError } from "../../errors.ts";
import { quoted } from "../../quoted.ts";
import type { GroupConfig } from "../group-config.ts";
import { requireGroupId } from "../group-requests.ts";
import type { ClassicChanges } from "./classic-changes.ts";
import { type Joined, joinEventOf, type Synced } from "./classic-events.ts";
import {
  type ClassicHeartbeatRequest,
  type ClassicJoinRequest,
  type ClassicLeaveRequest,
  type ClassicLeaver,
  type ClassicSyncRequest,
  joinAsked,
  shortReason,
} from "./classic-requests.ts";
import { leaverOf } from "./leaving.ts";
import { requireInGeneration } from "./syncing.ts";

type SessionBounds = Pick<GroupConfig, "groupMinSessionTimeoutMs" | "groupMaxSessionTimeoutMs">;

export interface LeftMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  /** `null`: it is no member any more. */
  readonly code: BrokerError["code"] | null;
}

export class ClassicCoordinator {
  readonly #changes: ClassicChanges;
  readonly #bounds: SessionBounds;
  readonly #env: Env;

  constructor(changes: ClassicChanges, bounds: SessionBounds, env: Env) {
    this.#changes = changes;
    this.#bounds = bounds;
    this.#env = env;
  }

  /**
   * Makes the caller a member of the next generation, and resolves with it when it begins: when everybody has joined, or the
   * rebalance timeout is over, which a step finds. One who asks again with the same is told of the generation that lasts, unless it
   * leads. Rejects with INVALID_GROUP_ID, INVALID_SESSION_TIMEOUT, INVALID_REQUEST, INCONSISTENT_GROUP_PROTOCOL,
   * GROUP_MAX_SIZE_REACHED, MEMBER_ID_REQUIRED (details: member_id), UNKNOWN_MEMBER, FENCED_INSTANCE_ID, REBALANCE_IN_PROGRESS when
   * a newer request of the same member waits, with what ends the coordinator's leadership (LEADER_NOT_AVAILABLE,
   * FENCED_LEADER_EPOCH, SHUTTING_DOWN), and as CoordinatorShard.write. The membership outlives `wait`.
   */
  async join(request: ClassicJoinRequest, wait: Wait = {}): Promise<Joined> {
    const { groupId, clientId, groupInstanceId } = request;
    const asked = joinAsked(request, this.#bounds);
    const { topic } = this.#changes.parts;
    // Who waits is in memory alone, so that there has to be a place for it before.
    if (asked.memberId === "" && topic.shardOf(groupId) === null) await topic.partitionOf(groupId, wait);
    const newId = `${groupInstanceId ?? clientId}-${this.#env.random.uuid()}`;
    const { answer } = await this.#changes.act(
      groupId,
      { event: (group) => joinEventOf(group, asked, newId), waits: "join" },
      wait,
    );
    return unlessGivenUp(answer as Promise<Joined>, wait, () => `the rebalance of ${quoted(groupId)}`);
  }

  /**
   * What the member is assigned in its generation: once the leader has sent that, which is durable then. Rejects with
   * INVALID_GROUP_ID, UNKNOWN_MEMBER, FENCED_INSTANCE_ID, ILLEGAL_GENERATION, INCONSISTENT_GROUP_PROTOCOL, REBALANCE_IN_PROGRESS,
   * GROUP_MAX_SIZE_REACHED when the assignment is too large to keep, and as join() does.
   */
  async sync(request: ClassicSyncRequest, wait: Wait = {}): Promise<Synced> {
    const { groupId, memberId, generation, groupInstanceId: instanceId = null } = request;
    requireGroupId(groupId);
    const { protocolType = null, protocolName: protocol = null } = request;
    const assignments = new Map(
      request.assignments.map((each) => [each.memberId, Buffer.from(each.assignment)]),
    );
    const asking = { memberId, instanceId, generation, protocolType, protocol, assignments };
    const { answer } = await this.#changes.act(
      groupId,
      { event: () => ({ kind: "sync", ...asking }), waits: "sync" },
      wait,
    );
    return unlessGivenUp(answer as Promise<Synced>, wait, () => `the assignment of ${quoted(groupId)}`);
  }

  /**
   * Says that a member lives. Rejects with INVALID_GROUP_ID, UNKNOWN_MEMBER, FENCED_INSTANCE_ID, ILLEGAL_GENERATION, which are no
   * signs of life, and REBALANCE_IN_PROGRESS, which is one: it is to join again.
   */
  async heartbeat(request: ClassicHeartbeatRequest, wait: Wait = {}): Promise<void> {
    const { groupId, memberId, generation, groupInstanceId: instanceId = null } = request;
    requireGroupId(groupId);
    const asking = { memberId, instanceId, generation };
    await this.#changes.act(
      groupId,
      {
        event: (group, room) => {
          requireInGeneration(group, asking);
          room?.sessions.hear(memberId);
          return { kind: "heartbeat", ...asking };
        },
      },
      wait,
    );
  }

  /**
   * Ends memberships, each by itself; resolves with what became of each, in order, when that is durable. One who waits is told
   * UNKNOWN_MEMBER. Rejects with INVALID_GROUP_ID, and as CoordinatorShard.write.
   */
  async leave({ groupId, members }: ClassicLeaveRequest, wait: Wait = {}): Promise<LeftMember[]> {
    requireGroupId(groupId);
    let left: LeftMember[] = [];
    await this.#changes.act(
      groupId,
      {
        event: (group) => {
          const gone = new Map<string, ClassicLeaver>();
          left = members.map((leaver) => {
            const { memberId, groupInstanceId = null } = leaver;
            const found = leaverOf(group, { memberId, instanceId: groupInstanceId });
            const isGone = typeof found === "string" && gone.has(found);
            if (typeof found === "string") gone.set(found, leaver);
            const code = isGone ? "UNKNOWN_MEMBER" : typeof found === "string" ? null : found.code;
            return { memberId, groupInstanceId, code };
          });
          const memberIds = [...gone.keys()];
          return gone.size === 0 ? null : { kind: "leave", memberIds, reason: leaveReason(gone) };
        },
      },
      wait,
    );
    return left;
  }
}

function leaveReason(gone: ReadonlyMap<string, ClassicLeaver>): string {
  const [[memberId, leaver] = ["", null]] = gone;
  const who = gone.size === 1 ? `the member ${quoted(memberId)} left` : `${gone.size} members left`;
  const reason = shortReason(leaver?.reason);
  return reason === null ? who : `${who}: ${reason}`;
}
