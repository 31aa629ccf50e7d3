/**
 * What happens to a group, as a table of every state and every event. Pure: a rule returns the group after the event, the same
 * object when nothing has changed, or throws the BrokerError that refuses it.
 *
 *                  dead           empty           reconciling             stable
 *   join           stable *       stable *        reconciling, stable *   reconciling, stable *
 *   rejoin         -              -               no rebalance            no rebalance
 *   resubscribe    -              -               reconciling, stable *   reconciling, stable *
 *   heartbeat      UNKNOWN_GROUP  UNKNOWN_MEMBER  as it is                as it is
 *   release        UNKNOWN_GROUP  UNKNOWN_MEMBER  reconciling, stable     as it is
 *   leave          UNKNOWN_GROUP  UNKNOWN_MEMBER  any but dead *          any but dead *
 *   expire         -              -               any but dead *          any but dead *
 *   topics_changed as it is       as it is        reconciling, stable *   reconciling, stable *
 *   delete         UNKNOWN_GROUP  dead            GROUP_NOT_EMPTY         GROUP_NOT_EMPTY
 *
 * `*`: a new generation begins. `-`: cannot happen; whoever sends it has lost count of who is a member.
 */
import { assert } from "../assert.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";
import type { Expiry, GroupEvent, GroupEventKind, Joining, OwnedPartition } from "./group-events.ts";
import {
  countedMembers,
  groupNotEmpty,
  groupTooLarge,
  illegalGeneration,
  notPartitionOwner,
  otherAssignor,
  unknownGroup,
  unknownMember,
} from "./group-refusals.ts";
import { type Group, type GroupState, type Member, revokingOf, stateOf } from "./group-state.ts";
import { difference, NO_PARTITIONS, partitionSet } from "./partition-sets.ts";
import { afterRelease, type GroupWorld, nextGeneration, someOf, topicChange } from "./rebalance.ts";

type EventOf<Kind extends GroupEventKind> = Extract<GroupEvent, { readonly kind: Kind }>;
type Rule<Kind extends GroupEventKind> = (group: Group, event: EventOf<Kind>, world: GroupWorld) => Group;
type Row = { readonly [Kind in GroupEventKind]: Rule<Kind> | null };

const asItIs = (group: Group) => group;
const refuseUnknownGroup = ({ groupId }: Group): never => {
  throw unknownGroup(groupId);
};
const refuseUnknownMember = (group: Group, { memberId }: { readonly memberId: string }): never => {
  throw unknownMember(group, memberId);
};
const refuseNotEmpty = (group: Group): never => {
  throw groupNotEmpty(group);
};

const WITHOUT_MEMBERS = {
  join,
  rejoin: null,
  resubscribe: null,
  expire: null,
  topics_changed: asItIs,
} as const;
const WITH_MEMBERS: Row = {
  join,
  rejoin,
  resubscribe,
  heartbeat,
  release,
  leave,
  expire,
  topics_changed: topicsChanged,
  delete: refuseNotEmpty,
};

export const TRANSITIONS: { readonly [State in GroupState]: Row } = {
  dead: {
    ...WITHOUT_MEMBERS,
    heartbeat: refuseUnknownGroup,
    release: refuseUnknownGroup,
    leave: refuseUnknownGroup,
    delete: refuseUnknownGroup,
  },
  empty: {
    ...WITHOUT_MEMBERS,
    heartbeat: refuseUnknownMember,
    release: refuseUnknownMember,
    leave: refuseUnknownMember,
    delete: die,
  },
  reconciling: WITH_MEMBERS,
  stable: WITH_MEMBERS,
};

/** The group after `event`. */
export function after<Kind extends GroupEventKind>(
  group: Group,
  event: EventOf<Kind> & { readonly kind: Kind },
  world: GroupWorld,
): Group {
  const state = stateOf(group);
  const rule: Rule<Kind> | null = TRANSITIONS[state][event.kind];
  assert(rule !== null, `a group that is ${state} cannot take ${event.kind}`);
  return rule(group, event, world);
}

function join(group: Group, joining: Joining, world: GroupWorld): Group {
  const { memberId, assignor } = joining;
  assert(!group.members.has(memberId), `${memberId} joins and is a member`);
  const members = [...group.members.values()];
  if (members.length > 0 && assignor !== group.assignor) throw otherAssignor(group, assignor);
  if (members.length >= LIMITS.membersPerGroupMax) {
    const seen = `the group ${quoted(group.groupId)} has ${countedMembers(members.length)}`;
    throw groupTooLarge(`${seen}; expected at most ${LIMITS.membersPerGroupMax}`);
  }
  const since = group.generation + 1;
  const member = { ...memberOf(joining), since, assigned: NO_PARTITIONS, target: NO_PARTITIONS };
  const reason = `the member ${quoted(memberId)} joined`;
  return nextGeneration({ ...group, assignor }, { members: [...members, member], reason }, world);
}

/** The same subscription again: its session begins anew, and its timeouts may be others. */
function rejoin(group: Group, joining: Joining): Group {
  const before = memberIn(group, joining.memberId);
  const { sessionTimeoutMs, rebalanceTimeoutMs } = joining;
  if (before.sessionTimeoutMs === sessionTimeoutMs && before.rebalanceTimeoutMs === rebalanceTimeoutMs)
    return group;
  const members = new Map(group.members).set(before.memberId, {
    ...before,
    sessionTimeoutMs,
    rebalanceTimeoutMs,
  });
  return { ...group, members };
}

function resubscribe(group: Group, joining: Joining, world: GroupWorld): Group {
  const before = memberIn(group, joining.memberId);
  const { assignor, memberId } = joining;
  const others = [...group.members.values()].filter((member) => member !== before);
  if (others.length > 0 && assignor !== group.assignor) throw otherAssignor(group, assignor);
  const member = { ...before, ...memberOf(joining) };
  const what =
    assignor === group.assignor ? "subscribes to other topics" : `asks for the assignor ${assignor}`;
  const reason = `the member ${quoted(memberId)} ${what}`;
  return nextGeneration({ ...group, assignor }, { members: [...others, member], reason }, world);
}

function heartbeat(group: Group, { memberId, generation }: EventOf<"heartbeat">): Group {
  memberIn(group, memberId);
  if (generation !== group.generation) throw illegalGeneration(group, generation);
  return group;
}

/** What the member has still to let go, and does not list, it has let go. */
function release(group: Group, event: EventOf<"release">): Group {
  heartbeat(group, { ...event, kind: "heartbeat" });
  const member = memberIn(group, event.memberId);
  const owned = partitionSet(event.owned);
  const isAnother = ({ topic, topicId }: OwnedPartition) =>
    topicId !== undefined && topicId !== group.topics.get(topic)?.topicId;
  const foreign = difference(owned, member.assigned)[0] ?? event.owned.find(isAnother);
  if (foreign !== undefined) throw notPartitionOwner(group, member.memberId, foreign);
  const released = difference(revokingOf(member), owned);
  return released.length === 0 ? group : afterRelease(group, member.memberId, released);
}

function leave(group: Group, { memberId }: EventOf<"leave">, world: GroupWorld): Group {
  const leaver = memberIn(group, memberId);
  const members = [...group.members.values()].filter((member) => member !== leaver);
  return nextGeneration(group, { members, reason: `the member ${quoted(memberId)} left` }, world);
}

function expire(group: Group, { expired }: EventOf<"expire">, world: GroupWorld): Group {
  const leavers = new Set(expired.map(({ memberId }) => memberIn(group, memberId)));
  const members = [...group.members.values()].filter((member) => !leavers.has(member));
  return nextGeneration(group, { members, reason: someOf(expired.map(expiryReason)) }, world);
}

function expiryReason({ memberId, cause, timeoutMs }: Expiry): string {
  return cause === "session_timeout"
    ? `the member ${quoted(memberId)} was silent for its session timeout, ${timeoutMs} ms`
    : `the member ${quoted(memberId)} held a partition back for its rebalance timeout, ${timeoutMs} ms`;
}

function topicsChanged(group: Group, _event: unknown, world: GroupWorld): Group {
  const reason = topicChange(group, world);
  if (reason === null) return group;
  return nextGeneration(group, { members: [...group.members.values()], reason }, world);
}

function die(group: Group, _event: unknown, { nowMs }: GroupWorld): Group {
  return { ...group, isDead: true, emptySinceMs: nowMs, lastRebalance: null };
}

function memberIn(group: Group, memberId: string): Member {
  const member = group.members.get(memberId);
  if (member === undefined) throw unknownMember(group, memberId);
  return member;
}

function memberOf({ memberId, topics, sessionTimeoutMs, rebalanceTimeoutMs }: Joining) {
  return { memberId, topics: [...new Set(topics)].sort(), sessionTimeoutMs, rebalanceTimeoutMs };
}
