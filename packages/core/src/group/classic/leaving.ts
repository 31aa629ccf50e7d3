/** How members go: by themselves, by an operator's hand, or because their time is over. Pure. */
import { assert } from "../../assert.ts";
import { BrokerError } from "../../errors.ts";
import { quoted } from "../../quoted.ts";
import type { Expiry } from "../group-events.ts";
import { unknownMember } from "../group-refusals.ts";
import { someOf } from "../rebalance.ts";
import type { ClassicEventOf, Outcome, Reply } from "./classic-events.ts";
import { requireClassicMember } from "./classic-refusals.ts";
import { type ClassicGroup, instanceIn, type PendingId } from "./classic-state.ts";
import {
  adding,
  type ClassicWorld,
  complete,
  completeIfJoined,
  late,
  prepare,
  refusing,
  unchanged,
  without,
} from "./rebalancing.ts";

export interface Leaver {
  /** `""`: whichever member that instance is, by an operator's hand. */
  readonly memberId: string;
  readonly instanceId: string | null;
}

/** Who is meant, a member or an id that was given and not joined with. Returns the refusal for who is not there. */
export function leaverOf(group: ClassicGroup, { memberId, instanceId }: Leaver): string | BrokerError {
  if (memberId === "") {
    const member = instanceId === null ? undefined : instanceIn(group, instanceId);
    return member?.memberId ?? unknownMember(group, instanceId ?? "");
  }
  if (group.pendingIds.has(memberId)) return memberId;
  try {
    return requireClassicMember(group, { memberId, instanceId }).memberId;
  } catch (problem) {
    if (problem instanceof BrokerError) return problem;
    throw problem;
  }
}

export function leave(group: ClassicGroup, event: ClassicEventOf<"leave">, world: ClassicWorld): Outcome {
  const { memberIds, reason } = event;
  for (const memberId of memberIds)
    assert(group.members.has(memberId) || group.pendingIds.has(memberId), `${memberId} leaves and is nobody`);
  const isMember = memberIds.some((memberId) => group.members.has(memberId));
  const gone = { group: without(group, memberIds), replies: refusingGone(group, memberIds), removed: [] };
  return isMember ? rebalanced(gone, reason, world) : adding(gone, completeIfJoined(gone.group, world));
}

/** The sessions of some are over, ids were not used, or the time of the phase has passed. */
export function timePassed(
  group: ClassicGroup,
  { silent, forgottenIds, isPhaseOver }: ClassicEventOf<"time_passed">,
  world: ClassicWorld,
): Outcome {
  const memberIds = silent.map(({ memberId }) => memberId);
  const lost = forgottenIds.map((memberId) => lostId(group, memberId));
  const gone: Outcome = {
    group: without(group, [...memberIds, ...forgottenIds]),
    replies: refusingGone(group, memberIds),
    removed: [...silent, ...lost],
  };
  const after =
    memberIds.length > 0
      ? rebalanced(gone, expiredReason(silent), world)
      : adding(gone, completeIfJoined(gone.group, world));
  // A phase that has begun or ended just now has time of its own.
  return isPhaseOver && after.group.phase === group.phase && group.phase !== null
    ? adding(after, phaseOver(after.group, world))
    : after;
}

function lostId({ pendingIds }: ClassicGroup, memberId: string): Expiry {
  const pending: PendingId | undefined = pendingIds.get(memberId);
  assert(pending !== undefined, `the id ${memberId} is forgotten and was not given`);
  return { memberId, cause: "session_timeout", timeoutMs: pending.sessionTimeoutMs };
}

/** The time to join, or to ask for what was assigned, is over. */
function phaseOver(group: ClassicGroup, world: ClassicWorld): Outcome {
  const { state, phase } = group;
  if (state === "preparing_rebalance") {
    const initial = phase?.initial ?? null;
    if (phase === null || initial === null || !initial.hasNewMember || initial.remainingMs === 0)
      return complete(group, world);
    // Somebody has come meanwhile: others may (KIP-134).
    const delayMs = Math.min(world.initialDelayMs, initial.remainingMs);
    const remainingMs = Math.max(initial.remainingMs - world.initialDelayMs, 0);
    const dueMs = world.monotonicMs + delayMs;
    return unchanged({ ...group, phase: { ...phase, dueMs, initial: { remainingMs, hasNewMember: false } } });
  }
  const removed = late([...group.members.values()].filter(({ hasSynced }) => !hasSynced));
  const ids = removed.map(({ memberId }) => memberId);
  const gone = { group: without(group, ids), replies: [], removed };
  const who = someOf(ids.map((memberId) => quoted(memberId)));
  return adding(gone, prepare(gone.group, `${who} did not ask for what was assigned in time`, world));
}

/** The others are to join again, or those who have joined need not wait any longer. */
function rebalanced(gone: Outcome, reason: string, world: ClassicWorld): Outcome {
  const { group } = gone;
  const isRunning = group.state === "stable" || group.state === "completing_rebalance";
  return adding(gone, isRunning ? prepare(group, reason, world) : completeIfJoined(group, world));
}

/** Who waited, and is no member any more, may join anew. */
function refusingGone(group: ClassicGroup, memberIds: readonly string[]): Reply[] {
  return memberIds.flatMap((memberId) => {
    const member = group.members.get(memberId);
    return member === undefined ? [] : refusing(member, unknownMember(group, memberId));
  });
}

function expiredReason(silent: readonly Expiry[]): string {
  return someOf(
    silent.map(
      ({ memberId, timeoutMs }) =>
        `the member ${quoted(memberId)} was silent for its session timeout, ${timeoutMs} ms`,
    ),
  );
}
