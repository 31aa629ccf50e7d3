/** What members of classic groups ask, and what of it can be refused without knowing the group. */
import { BrokerError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { GroupConfig } from "../group-config.ts";
import { requireGroupId, requireName } from "../group-requests.ts";
import type { JoinAsked } from "./classic-events.ts";
import type { MemberProtocol } from "./classic-state.ts";

export interface ClassicJoinRequest {
  readonly groupId: string;
  /** `""`: it has none. */
  readonly memberId: string;
  /** Of a static member (KIP-345). */
  readonly groupInstanceId?: string | null | undefined;
  readonly clientId: string;
  readonly clientHost: string;
  readonly protocolType: string;
  /** In the order in which the member likes them best. */
  readonly protocols: readonly MemberProtocol[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** A member without an id is refused with one, and comes again with it (KIP-394): JoinGroup from version 4 on. */
  readonly requiresKnownMemberId: boolean;
  /** A static leader understands that it is to assign nothing (KIP-814): JoinGroup from version 9 on. Default: it does not. */
  readonly supportsSkippingAssignment?: boolean | undefined;
  /** The client's own words (KIP-800). */
  readonly reason?: string | null | undefined;
}

export interface ClassicMemberRequest {
  readonly groupId: string;
  readonly memberId: string;
  readonly groupInstanceId?: string | null | undefined;
}

export interface ClassicHeartbeatRequest extends ClassicMemberRequest {
  readonly generation: number;
}

export interface ClassicSyncRequest extends ClassicHeartbeatRequest {
  readonly protocolType?: string | null | undefined;
  readonly protocolName?: string | null | undefined;
  /** By the leader: of everybody. */
  readonly assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[];
}

export interface ClassicLeaver {
  /** `""`: whichever member the instance is. */
  readonly memberId: string;
  readonly groupInstanceId?: string | null | undefined;
  readonly reason?: string | null | undefined;
}

export interface ClassicLeaveRequest {
  readonly groupId: string;
  readonly members: readonly ClassicLeaver[];
}

type SessionBounds = Pick<GroupConfig, "groupMinSessionTimeoutMs" | "groupMaxSessionTimeoutMs">;

/** Throws INVALID_GROUP_ID, INVALID_SESSION_TIMEOUT and INVALID_REQUEST. */
export function joinAsked(request: ClassicJoinRequest, bounds: SessionBounds): JoinAsked {
  const { groupId, memberId, groupInstanceId = null, sessionTimeoutMs, rebalanceTimeoutMs, reason } = request;
  requireGroupId(groupId);
  requireMemberId(memberId);
  if (groupInstanceId !== null) requireClassicName("group_instance_id", groupInstanceId);
  requireSession(sessionTimeoutMs, bounds);
  if (!Number.isInteger(rebalanceTimeoutMs)) throw invalid(`rebalance_timeout_ms is ${rebalanceTimeoutMs}`);
  requireProtocols(request.protocols);
  return {
    memberId,
    instanceId: groupInstanceId,
    clientId: request.clientId,
    clientHost: request.clientHost,
    protocolType: request.protocolType,
    protocols: request.protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
    sessionTimeoutMs,
    rebalanceTimeoutMs: Math.max(0, rebalanceTimeoutMs),
    requiresKnownMemberId: request.requiresKnownMemberId,
    skipsAssignment: request.supportsSkippingAssignment === true,
    reason: shortReason(reason),
  };
}

/** The client's own words, as many as there is room for; `null` for none. */
export function shortReason(reason: string | null | undefined): string | null {
  return reason == null || reason === "" ? null : reason.slice(0, LIMITS.classicReasonLengthMax);
}

/** Throws INVALID_REQUEST. `""` is that of nobody in particular. */
export function requireMemberId(memberId: string): void {
  if (memberId !== "") requireClassicName("member_id", memberId);
}

function requireSession(timeoutMs: number, bounds: SessionBounds): void {
  const { groupMinSessionTimeoutMs: min, groupMaxSessionTimeoutMs: max } = bounds;
  if (timeoutMs >= min && timeoutMs <= max) return;
  const message = `session_timeout_ms is ${timeoutMs}; expected ${min} to ${max}`;
  throw new BrokerError("INVALID_SESSION_TIMEOUT", message, { min, max });
}

/** A name that comes twice would be two answers to one question; Kafka keeps both. */
function requireProtocols(protocols: readonly MemberProtocol[]): void {
  const { protocolsPerMemberMax: max } = LIMITS;
  if (protocols.length > max)
    throw invalid(`there are ${protocols.length} protocols; expected at most ${max}`);
  const names = new Set(protocols.map(({ name }) => name));
  if (names.size < protocols.length) throw invalid("a protocol is named twice; expected each once");
  for (const name of names) requireClassicName("a protocol", name);
}

/** A given id is a client's name, or an instance's, with a UUID behind it. */
function requireClassicName(what: string, name: string): void {
  requireName(what, name, LIMITS.classicNameLengthMax);
}

function invalid(message: string): BrokerError {
  return new BrokerError("INVALID_REQUEST", message);
}
