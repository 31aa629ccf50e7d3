/**
 * What happens to a classic group, as a table of every state and every event. Pure: a rule returns the group after the event, with
 * what is to be told to whom, or throws the BrokerError that refuses it.
 *
 *                dead, empty         preparing             completing              stable
 *   give_id      as it is, an id     as it is, an id       as it is, an id         as it is, an id
 *   join         preparing, compl.*  preparing, compl.*    preparing, completing*  preparing, completing*
 *   rejoin       UNKNOWN_MEMBER      preparing, compl.*    as it is or preparing   as it is or preparing
 *   replace      -                   preparing, compl.*    preparing, completing*  stable or preparing, compl.*
 *   sync         UNKNOWN_MEMBER      REBALANCE_IN_PROGRESS completing, stable      as it is
 *   heartbeat    UNKNOWN_MEMBER      REBALANCE_IN_PROGRESS as it is                as it is
 *   leave        an id is forgotten  preparing, compl.*,   preparing, compl.*,     preparing, compl.*,
 *                                    empty*                empty*                  empty*
 *   time_passed  ids are forgotten   any but stable*       any but stable*         any*
 *
 * `*`: a new generation begins on the way to completing or empty. `-`: cannot happen.
 */
import { assert } from "../../assert.ts";
import { unknownMember } from "../group-refusals.ts";
import type { ClassicEvent, ClassicEventKind, ClassicEventOf, Outcome } from "./classic-events.ts";
import { type ClassicGroup, type ClassicState, isAnyoneTold } from "./classic-state.ts";
import { giveId, join, rejoin, replace } from "./joining.ts";
import { leave, timePassed } from "./leaving.ts";
import type { ClassicWorld } from "./rebalancing.ts";
import { heartbeat, heartbeatWhileJoining, sync, syncAgain, syncTooEarly } from "./syncing.ts";

type Rule<Kind extends ClassicEventKind> = (
  group: ClassicGroup,
  event: ClassicEventOf<Kind>,
  world: ClassicWorld,
) => Outcome;
type Row = { readonly [Kind in ClassicEventKind]: Rule<Kind> | null };

const refuseUnknown = (group: ClassicGroup, { memberId }: { readonly memberId: string }): never => {
  throw unknownMember(group, memberId);
};

const WITHOUT_MEMBERS: Row = {
  give_id: giveId,
  join,
  rejoin: refuseUnknown,
  replace: null,
  sync: refuseUnknown,
  heartbeat: refuseUnknown,
  leave,
  time_passed: timePassed,
};
const WITH_MEMBERS = { give_id: giveId, join, rejoin, replace, leave, time_passed: timePassed } as const;

export const CLASSIC_TRANSITIONS: { readonly [State in ClassicState]: Row } = {
  dead: WITHOUT_MEMBERS,
  empty: WITHOUT_MEMBERS,
  preparing_rebalance: { ...WITH_MEMBERS, sync: syncTooEarly, heartbeat: heartbeatWhileJoining },
  completing_rebalance: { ...WITH_MEMBERS, sync, heartbeat },
  stable: { ...WITH_MEMBERS, sync: syncAgain, heartbeat },
};

/** The group after `event`. */
export function afterClassic(group: ClassicGroup, event: ClassicEvent, world: ClassicWorld): Outcome {
  const outcome = ruleFor(group, event)(group, event, world);
  return { ...outcome, group: notingEmptiness(outcome.group, world) };
}

function ruleFor<Kind extends ClassicEventKind>(
  { state }: ClassicGroup,
  { kind }: ClassicEventOf<Kind> & { readonly kind: Kind },
): Rule<Kind> {
  const rule: Rule<Kind> | null = CLASSIC_TRANSITIONS[state][kind];
  assert(rule !== null, `a classic group that is ${state} cannot take ${kind}`);
  return rule;
}

/** Offsets age from when the last member that knew of being one was gone. */
function notingEmptiness(group: ClassicGroup, { nowMs }: ClassicWorld): ClassicGroup {
  const emptySinceMs = isAnyoneTold(group) ? null : (group.emptySinceMs ?? nowMs);
  return emptySinceMs === group.emptySinceMs ? group : { ...group, emptySinceMs };
}
