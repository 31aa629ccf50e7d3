/** The record of a classic group, version 2 of a group's: all that anybody was told of it. ../FORMAT.md says what stands in it. */
import type { CoordinatorRecord, JsonObject } from "../../coordinator/coordinator-record.ts";
import { fieldsOf, integerOf, listOf, mismatch, textOf } from "../../log/files/parsed-json.ts";
import {
  formatLastRebalance,
  keyOfGroup,
  parseEmptySince,
  parseLastRebalance,
} from "../group-record-parts.ts";
import {
  CLASSIC_STATES,
  type ClassicGroup,
  type ClassicMember,
  classicProblem,
  type MemberProtocol,
} from "./classic-state.ts";
import type { ToldGroup } from "./told-part.ts";

export const CLASSIC_VERSION = 2;
const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

export function classicRecord(told: ToldGroup): CoordinatorRecord {
  const value: JsonObject = {
    version: CLASSIC_VERSION,
    type: "classic",
    state: told.state,
    generation: told.generation,
    protocol_type: told.protocolType,
    protocol: told.protocol,
    leader_id: told.leaderId,
    members: told.members.map(formatMember),
    empty_since_ms: told.emptySinceMs,
    last_rebalance: formatLastRebalance(told.lastRebalance),
  };
  return { key: keyOfGroup(told.groupId), value };
}

function formatMember(member: ClassicMember): JsonObject {
  return {
    member_id: member.memberId,
    instance_id: member.instanceId,
    client_id: member.clientId,
    client_host: member.clientHost,
    session_timeout_ms: member.sessionTimeoutMs,
    rebalance_timeout_ms: member.rebalanceTimeoutMs,
    protocols: member.protocols.map(({ name, metadata }) => ({
      name,
      metadata_b64: metadata.toString("base64"),
    })),
    assignment_b64: member.assignment.toString("base64"),
  };
}

/** The group as it is after a load, without a time limit yet. Throws for what no group of ours is. */
export function parseClassicGroup(groupId: string, fields: ReadonlyMap<string, unknown>): ClassicGroup {
  const type = fields.get("type");
  if (type !== "classic") throw mismatch(type, "type", `"classic"`);
  const state = CLASSIC_STATES.find((name) => name === fields.get("state"));
  if (state === undefined || state === "dead") throw mismatch(fields.get("state"), "state", "one of a group");
  const members = listOf(fields.get("members"), "members").map((member) => parseMember(member, state));
  const byId = new Map(members.map((member) => [member.memberId, member]));
  if (byId.size !== members.length) throw new Error("it has a member twice");
  const group: ClassicGroup = {
    groupId,
    state,
    generation: integerOf(fields.get("generation"), "generation", COUNT),
    protocolType: nullableText(fields.get("protocol_type"), "protocol_type"),
    protocol: nullableText(fields.get("protocol"), "protocol"),
    leaderId: nullableText(fields.get("leader_id"), "leader_id"),
    members: byId,
    pendingIds: new Map(),
    phase: null,
    emptySinceMs: parseEmptySince(fields.get("empty_since_ms")),
    lastRebalance: parseLastRebalance(fields.get("last_rebalance")),
  };
  if ((group.members.size === 0) !== (group.emptySinceMs !== null))
    throw new Error("it has members and is empty since a time, or neither");
  const problem = classicProblem(group);
  if (problem !== null) throw new Error(problem);
  return group;
}

function parseMember(value: unknown, state: string): ClassicMember {
  const fields = fieldsOf(value, "a member");
  const text = (name: string) => textOf(fields.get(name), name);
  const integer = (name: string) => integerOf(fields.get(name), name, COUNT);
  return {
    memberId: text("member_id"),
    instanceId: nullableText(fields.get("instance_id"), "instance_id"),
    clientId: text("client_id"),
    clientHost: text("client_host"),
    sessionTimeoutMs: integer("session_timeout_ms"),
    rebalanceTimeoutMs: integer("rebalance_timeout_ms"),
    protocols: listOf(fields.get("protocols"), "protocols").map(parseProtocol),
    assignment: Buffer.from(text("assignment_b64"), "base64"),
    isNew: false,
    waitsFor: null,
    hasSynced: state === "stable",
  };
}

function parseProtocol(value: unknown): MemberProtocol {
  const fields = fieldsOf(value, "a protocol");
  const metadata = textOf(fields.get("metadata_b64"), "metadata_b64");
  return { name: textOf(fields.get("name"), "name"), metadata: Buffer.from(metadata, "base64") };
}

function nullableText(value: unknown, what: string): string | null {
  return value === null ? null : textOf(value, what);
}
