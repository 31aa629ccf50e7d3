/** What can happen to a classic group, and what is said of it to whom. */
import { assert } from "../../assert.ts";
import type { BrokerError } from "../../errors.ts";
import type { Expiry } from "../group-events.ts";
import { type ClassicGroup, instanceIn, type MemberProtocol } from "./classic-state.ts";

/** What a member asks for when it joins. */
export interface ClassicJoining {
  /** Its own, or the one that it is given now. */
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly protocolType: string;
  readonly protocols: readonly MemberProtocol[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** A static leader that comes back knows not to assign again (KIP-814). */
  readonly skipsAssignment: boolean;
  /** The client's own words (KIP-800). */
  readonly reason: string | null;
}

interface OfMember {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly generation: number;
}

export interface ClassicSyncing extends OfMember {
  /** `null`: it does not say. */
  readonly protocolType: string | null;
  readonly protocol: string | null;
  /** By the leader. */
  readonly assignments: ReadonlyMap<string, Buffer>;
}

/** Whose time is over, as member-deadlines.ts finds it. */
export interface TimePassed {
  readonly silent: readonly Expiry[];
  /** Ids that were given, and nobody joined with. */
  readonly forgottenIds: readonly string[];
  /** The time of the group's phase. */
  readonly isPhaseOver: boolean;
}

export type ClassicEvent =
  /** A member without an id is given one, to join with (KIP-394). */
  | ({ readonly kind: "give_id" } & ClassicJoining)
  | ({ readonly kind: "join" } & ClassicJoining)
  /** A static member comes back without its id, and gets a new one. */
  | ({ readonly kind: "replace" } & ClassicJoining)
  | ({ readonly kind: "rejoin" } & ClassicJoining)
  | ({ readonly kind: "sync" } & ClassicSyncing)
  | ({ readonly kind: "heartbeat" } & OfMember)
  /** Members, and ids that nobody has joined with yet. */
  | { readonly kind: "leave"; readonly memberIds: readonly string[]; readonly reason: string }
  | ({ readonly kind: "time_passed" } & TimePassed);

export type ClassicEventKind = ClassicEvent["kind"];
export type ClassicEventOf<Kind extends ClassicEventKind> = Extract<ClassicEvent, { readonly kind: Kind }>;

/** What a member is told of the generation that it is in. */
export interface Joined {
  readonly memberId: string;
  readonly generation: number;
  readonly protocolType: string;
  readonly protocolName: string;
  readonly leader: string;
  readonly skipAssignment: boolean;
  /** To the leader: everybody, with what they say for the protocol. */
  readonly members: readonly JoinedMember[];
}

export interface JoinedMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly metadata: Buffer;
}

export interface Synced {
  readonly protocolType: string;
  readonly protocolName: string;
  readonly assignment: Buffer;
}

/** To the request of that member that waits. */
export type Reply =
  | { readonly to: "join"; readonly memberId: string; readonly joined: Joined }
  | { readonly to: "sync"; readonly memberId: string; readonly synced: Synced }
  | { readonly to: "join" | "sync"; readonly memberId: string; readonly refusal: BrokerError };

/** The group after an event, what is to be told once it is durable, and who is no member any more without having asked for it. */
export interface Outcome {
  readonly group: ClassicGroup;
  readonly replies: readonly Reply[];
  readonly removed: readonly Expiry[];
}

export interface JoinAsked extends Omit<ClassicJoining, "memberId"> {
  /** `""`: it has none. */
  readonly memberId: string;
  /** Whether one without an id is given one first. */
  readonly requiresKnownMemberId: boolean;
}

/** The event that `asked` is for this group; `newId` is for who has none. */
export function joinEventOf(
  group: ClassicGroup,
  asked: JoinAsked,
  newId: string,
): ClassicEventOf<"give_id" | "join" | "replace" | "rejoin"> {
  const { requiresKnownMemberId, ...joining } = asked;
  const { memberId, instanceId } = joining;
  if (memberId !== "") {
    const isPending = instanceId === null && group.pendingIds.has(memberId);
    return { kind: isPending ? "join" : "rejoin", ...joining };
  }
  assert(!group.members.has(newId), `the new id ${newId} is somebody's`);
  const named = { ...joining, memberId: newId };
  if (instanceId === null) return { kind: requiresKnownMemberId ? "give_id" : "join", ...named };
  return { kind: instanceIn(group, instanceId) === undefined ? "join" : "replace", ...named };
}
