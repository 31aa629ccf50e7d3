/** A change of a classic group, told as events. Pure. */
import type { TraceEvent } from "../../env/trace.ts";
import type { ClassicEvent, Outcome } from "./classic-events.ts";
import { type ClassicGroup, instanceIn } from "./classic-state.ts";

export interface ClassicChange {
  readonly before: ClassicGroup;
  readonly event: ClassicEvent;
  readonly outcome: Outcome;
}

/** In the order in which they are to be told. */
export function classicEventsOf(change: ClassicChange): TraceEvent[] {
  const { before, outcome } = change;
  const { group: after, removed } = outcome;
  const { groupId, generation } = after;
  const members = after.members.size;
  const expired = removed.map((expiry): TraceEvent => {
    return { kind: "member_expired", groupId, generation, members, ...expiry };
  });
  return [...ofEvent(change), ...expired, ...ofState(before, after)];
}

function ofEvent({ before, event, outcome: { group } }: ClassicChange): TraceEvent[] {
  const { groupId, generation } = group;
  const members = group.members.size;
  switch (event.kind) {
    case "give_id":
      return [{ kind: "member_id_given", groupId, memberId: event.memberId, clientId: event.clientId }];
    case "join":
    case "rejoin": {
      const { memberId, instanceId, clientId } = event;
      const protocols = event.protocols.map(({ name }) => name);
      const facts = { groupId, memberId, instanceId, clientId, generation, protocols, members };
      return [{ kind: "classic_member_joined", ...facts }];
    }
    case "replace": {
      const { memberId, instanceId } = event;
      const replaced = instanceId === null ? undefined : instanceIn(before, instanceId);
      const facts = { groupId, memberId, instanceId: instanceId ?? "", generation };
      return [{ kind: "static_member_replaced", ...facts, replacedId: replaced?.memberId ?? "" }];
    }
    case "leave":
      return event.memberIds.map((memberId) => {
        return { kind: "member_left", groupId, memberId, generation, members };
      });
    default:
      return [];
  }
}

function ofState(before: ClassicGroup, after: ClassicGroup): TraceEvent[] {
  if (before.state === after.state && before.generation === after.generation) return [];
  const { groupId, state: to, generation, protocol, leaderId, phase, lastRebalance } = after;
  const reason = phase?.reason ?? lastRebalance?.reason ?? "";
  const facts = { groupId, from: before.state, to, generation, reason, protocol, leaderId };
  return [{ kind: "classic_group_moved", ...facts, members: [...after.members.keys()] }];
}
