/**
 * The record of a group: all of it, in one record, whenever anything changes. FORMAT.md says what stands in it. Version 1 is one of
 * a consumer group, or of a group that is gone, version 2 one of a classic group.
 */
import {
  type CoordinatorRecord,
  type JsonObject,
  type JsonValue,
  MalformedRecord,
} from "../coordinator/coordinator-record.ts";
import { fieldsOf, integerOf, listOf, mismatch, textOf } from "../log/files/parsed-json.ts";
import { ASSIGNORS, type AssignorName } from "./assignors/assignor.ts";
import { CLASSIC_VERSION, parseClassicGroup } from "./classic/classic-record.ts";
import type { ClassicGroup } from "./classic/classic-state.ts";
import {
  formatLastRebalance,
  keyOfGroup,
  parseEmptySince,
  parseLastRebalance,
} from "./group-record-parts.ts";
import { type Group, groupProblem, type Member, type SeenTopic } from "./group-state.ts";
import { type Partitions, partitionSet } from "./partition-sets.ts";

const VERSION = 1;
const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** What a record says of a group; `null`: nothing is known of it any more. */
export interface GroupEntry {
  readonly groupId: string;
  /** `null` of a classic group as well. */
  readonly group: Group | null;
  readonly classic?: ClassicGroup;
}

/** `group` is everything that the record says. */
export function groupRecord(group: Group): CoordinatorRecord {
  return { key: keyOfGroup(group.groupId), value: formatGroup(group) };
}

/** The group and its generation are forgotten. */
export function groupTombstone(groupId: string): CoordinatorRecord {
  return { key: keyOfGroup(groupId), value: null };
}

/** Throws MalformedRecord. */
export function parseGroupRecord({ key, value }: CoordinatorRecord): GroupEntry {
  try {
    const groupId = textOf(key.group_id, "group_id");
    if (value === null) return { groupId, group: null };
    const fields = fieldsOf(value, "a group");
    if (fields.get("version") === CLASSIC_VERSION)
      return { groupId, group: null, classic: parseClassicGroup(groupId, fields) };
    const group = parseGroup(groupId, fields);
    const problem = groupProblem(group);
    if (problem !== null) throw new Error(problem);
    return { groupId, group };
  } catch (problem) {
    throw new MalformedRecord(`the group: ${problem instanceof Error ? problem.message : String(problem)}`);
  }
}

function formatGroup({
  generation,
  assignor,
  members,
  topics,
  emptySinceMs,
  lastRebalance,
  isDead,
}: Group): JsonObject {
  return {
    version: VERSION,
    generation,
    assignor,
    members: [...members.values()].map(formatMember),
    topics: [...topics].map(([topic, { topicId, partitions }]) => ({ topic, topic_id: topicId, partitions })),
    empty_since_ms: emptySinceMs,
    last_rebalance: formatLastRebalance(lastRebalance),
    dead: isDead,
  };
}

function formatMember(member: Member): JsonObject {
  return {
    member_id: member.memberId,
    topics: member.topics,
    session_timeout_ms: member.sessionTimeoutMs,
    rebalance_timeout_ms: member.rebalanceTimeoutMs,
    since: member.since,
    assigned: formatPartitions(member.assigned),
    target: formatPartitions(member.target),
  };
}

/** A list of topics, since a topic's name could be one that objects have a meaning for. */
function formatPartitions(partitions: Partitions): JsonValue {
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition } of partitions) {
    const known = byTopic.get(topic);
    if (known === undefined) byTopic.set(topic, [partition]);
    else known.push(partition);
  }
  return [...byTopic].map(([topic, numbers]) => ({ topic, partitions: numbers }));
}

function parseGroup(groupId: string, fields: ReadonlyMap<string, unknown>): Group {
  const version = fields.get("version");
  if (version !== VERSION)
    throw mismatch(
      version,
      "version",
      `${VERSION} or ${CLASSIC_VERSION}, which are all that this release knows`,
    );
  const isDead = fields.get("dead");
  if (typeof isDead !== "boolean") throw mismatch(isDead, "dead", "true or false");
  const members = listOf(fields.get("members"), "members").map(parseMember);
  const byId = new Map(members.map((member) => [member.memberId, member]));
  if (byId.size !== members.length) throw new Error("it has a member twice");
  return {
    groupId,
    generation: integerOf(fields.get("generation"), "generation", COUNT),
    assignor: assignorOf(fields.get("assignor")),
    members: byId,
    topics: new Map(listOf(fields.get("topics"), "topics").map(parseTopic)),
    emptySinceMs: parseEmptySince(fields.get("empty_since_ms")),
    lastRebalance: parseLastRebalance(fields.get("last_rebalance")),
    isDead,
  };
}

function parseMember(value: unknown): Member {
  const fields = fieldsOf(value, "a member");
  return {
    memberId: textOf(fields.get("member_id"), "member_id"),
    topics: listOf(fields.get("topics"), "topics").map((topic) => textOf(topic, "a topic")),
    sessionTimeoutMs: integerOf(fields.get("session_timeout_ms"), "session_timeout_ms", COUNT),
    rebalanceTimeoutMs: integerOf(fields.get("rebalance_timeout_ms"), "rebalance_timeout_ms", COUNT),
    since: integerOf(fields.get("since"), "since", COUNT),
    assigned: parsePartitions(fields.get("assigned"), "assigned"),
    target: parsePartitions(fields.get("target"), "target"),
  };
}

function parsePartitions(value: unknown, what: string): Partitions {
  const partitions = listOf(value, what).flatMap((each) => {
    const fields = fieldsOf(each, what);
    const topic = textOf(fields.get("topic"), "topic");
    const numbers = listOf(fields.get("partitions"), "partitions");
    return numbers.map((number) => ({ topic, partition: integerOf(number, "a partition", COUNT) }));
  });
  return partitionSet(partitions);
}

function parseTopic(value: unknown): [topic: string, seen: SeenTopic] {
  const fields = fieldsOf(value, "a topic");
  const topicId = textOf(fields.get("topic_id"), "topic_id");
  const partitions = integerOf(fields.get("partitions"), "partitions", COUNT);
  return [textOf(fields.get("topic"), "topic"), { topicId, partitions }];
}

function assignorOf(value: unknown): AssignorName | null {
  if (value === null) return null;
  const assignor = ASSIGNORS.find((name) => name === value);
  if (assignor === undefined) throw mismatch(value, "assignor", `${ASSIGNORS.join(", ")} or null`);
  return assignor;
}
