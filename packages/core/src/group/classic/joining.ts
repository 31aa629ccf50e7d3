/** How members come in, and come back (Kafka: classicGroupJoinNewMember, classicGroupJoinExistingMember). Pure. */
import { assert } from "../../assert.ts";
import { quoted } from "../../quoted.ts";
import type { ClassicEventOf, ClassicJoining, Joined, Outcome } from "./classic-events.ts";
import {
  fencedInstance,
  groupFull,
  inconsistentProtocol,
  memberIdRequired,
  rebalancing,
  requireClassicMember,
} from "./classic-refusals.ts";
import { type ClassicGroup, type ClassicMember, instanceIn, NO_ASSIGNMENT } from "./classic-state.ts";
import { areSameProtocols, chosenProtocol, isProtocolSupported } from "./protocol-choice.ts";
import {
  adding,
  type ClassicWorld,
  completeIfJoined,
  joinedView,
  prepare,
  refusing,
  withMember,
} from "./rebalancing.ts";

/** Who has no id is given one, and takes no place before it comes with it (KIP-394). */
export function giveId(group: ClassicGroup, event: ClassicEventOf<"give_id">, world: ClassicWorld): Outcome {
  const { memberId, sessionTimeoutMs } = event;
  requireRoom(group, memberId, world);
  if (group.pendingIds.size >= world.sizeMax) throw groupFull(group, world.sizeMax);
  requireProtocol(group, event);
  const pending = { sessionTimeoutMs, dueMs: world.monotonicMs + sessionTimeoutMs };
  const pendingIds = new Map(group.pendingIds).set(memberId, pending);
  const refusal = memberIdRequired(group, memberId);
  return { group: { ...group, pendingIds }, replies: [{ to: "join", memberId, refusal }], removed: [] };
}

export function join(group: ClassicGroup, joining: ClassicEventOf<"join">, world: ClassicWorld): Outcome {
  const { memberId, instanceId, clientId, clientHost, protocolType } = joining;
  assert(!group.members.has(memberId), `${memberId} joins and is a member`);
  assert(
    instanceId === null || instanceIn(group, instanceId) === undefined,
    `the instance ${instanceId} joins and is a member`,
  );
  requireRoom(group, memberId, world);
  requireProtocol(group, joining);
  const pendingIds = new Map(group.pendingIds);
  pendingIds.delete(memberId);
  const member: ClassicMember = {
    ...{ memberId, instanceId, clientId, clientHost },
    ...asked(joining),
    assignment: NO_ASSIGNMENT,
    isNew: true,
    waitsFor: "join",
    hasSynced: false,
  };
  const { members, leaderId, phase } = group;
  const grown = withMember(
    {
      ...group,
      pendingIds,
      protocolType: members.size === 0 ? protocolType : group.protocolType,
      leaderId: leaderId ?? memberId,
      phase: phase?.initial == null ? phase : { ...phase, initial: { ...phase.initial, hasNewMember: true } },
    },
    member,
  );
  return begin(grown, `the member ${quoted(memberId)} joined`, { joining, world });
}

/** Kafka: a join with the same metadata is answered by the generation that lasts, but the leader's begins another one. */
export function rejoin(group: ClassicGroup, joining: ClassicEventOf<"rejoin">, world: ClassicWorld): Outcome {
  const { memberId } = joining;
  requireRoom(group, memberId, world);
  requireProtocol(group, joining);
  const member = requireClassicMember(group, joining);
  const isSame = areSameProtocols(member.protocols, joining.protocols);
  const isAnsweredNow =
    group.state === "completing_rebalance" || (group.state === "stable" && group.leaderId !== memberId);
  if (isSame && isAnsweredNow) return answered(group, joinedView(group, memberId));
  const what = isSame ? "joined again" : "asks for other protocols or says something else for them";
  const waiting = withMember(group, { ...member, ...asked(joining), waitsFor: "join" });
  // One that waits for its assignment and joins again has given that up.
  const replies = member.waitsFor === "sync" ? refusing(member, rebalancing(group)) : [];
  return adding(
    { group, replies, removed: [] },
    begin(waiting, `the member ${quoted(memberId)} ${what}`, { joining, world }),
  );
}

/**
 * A static member that has lost its id takes its own place under a new one; the old one is fenced. In a stable group whose
 * protocol stays what it is nobody else has to know (KIP-345).
 */
export function replace(
  group: ClassicGroup,
  joining: ClassicEventOf<"replace">,
  world: ClassicWorld,
): Outcome {
  const { memberId, instanceId } = joining;
  const old = instanceId === null ? undefined : instanceIn(group, instanceId);
  assert(old !== undefined && instanceId !== null, `no instance ${instanceId} to take the place of`);
  requireRoom(group, old.memberId, world);
  requireProtocol(group, joining);
  const replies = refusing(old, fencedInstance(group, old.memberId, instanceId));
  const fresh: ClassicMember = { ...old, ...asked(joining), memberId, waitsFor: "join" };
  const members = new Map(
    Array.from(group.members.values(), (member) =>
      member === old ? ([memberId, fresh] as const) : ([member.memberId, member] as const),
    ),
  );
  const wasLeader = group.leaderId === old.memberId;
  const replaced = { ...group, members, leaderId: wasLeader ? memberId : group.leaderId };
  const isKept = group.state === "stable" && chosenProtocol(replaced) === group.protocol;
  const after = isKept
    ? kept(replaced, fresh, { oldId: old.memberId, skipsAssignment: joining.skipsAssignment })
    : begin(replaced, `the static member ${quoted(instanceId)} came back`, { joining, world });
  return adding({ group, replies, removed: [] }, after);
}

/** Its generation goes on. A leader that cannot be told to assign nothing is told that another leads, so that it assigns nothing. */
function kept(
  group: ClassicGroup,
  member: ClassicMember,
  { oldId, skipsAssignment }: { readonly oldId: string; readonly skipsAssignment: boolean },
): Outcome {
  const { memberId } = member;
  const isLeader = group.leaderId === memberId;
  const view = joinedView(group, memberId);
  const told = { ...view, skipAssignment: isLeader && skipsAssignment };
  const unaware = isLeader && !skipsAssignment ? { ...told, leader: oldId, members: [] } : told;
  return answered(withMember(group, { ...member, waitsFor: null }), unaware);
}

/** A rebalance, or a part in the one that is being prepared. */
function begin(
  group: ClassicGroup,
  what: string,
  { joining: { reason }, world }: { readonly joining: ClassicJoining; readonly world: ClassicWorld },
): Outcome {
  if (group.state === "preparing_rebalance") return completeIfJoined(group, world);
  return prepare(group, reason === null ? what : `${what}: ${reason}`, world);
}

function answered(group: ClassicGroup, joined: Joined): Outcome {
  return { group, replies: [{ to: "join", memberId: joined.memberId, joined }], removed: [] };
}

function asked({ protocols, sessionTimeoutMs, rebalanceTimeoutMs }: ClassicJoining) {
  return { protocols, sessionTimeoutMs, rebalanceTimeoutMs };
}

function requireProtocol(group: ClassicGroup, joining: ClassicJoining): void {
  if (isProtocolSupported(group, joining)) return;
  const names = joining.protocols.map(({ name }) => name);
  throw inconsistentProtocol(group, { protocolType: joining.protocolType, names });
}

/** While members join, those who have come count, so that the last ones of too many are those who go. Kafka: acceptJoiningMember. */
function requireRoom(group: ClassicGroup, memberId: string, { sizeMax }: ClassicWorld): void {
  const { state, members } = group;
  const member = members.get(memberId);
  if (state === "dead" || state === "empty") return;
  if (state !== "preparing_rebalance") {
    if (member === undefined && members.size >= sizeMax) throw groupFull(group, sizeMax);
    return;
  }
  if (member?.waitsFor === "join") return;
  const joined = [...members.values()].filter(({ waitsFor }) => waitsFor === "join");
  if (joined.length >= sizeMax) throw groupFull(group, sizeMax);
}
