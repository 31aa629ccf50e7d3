/** What `groups describe` shows: how far groups are behind, who is in them, and where they stand. */
import type { GroupPartitionLag } from "@minikafka/client";
import type { ParsedResponse } from "@minikafka/protocol";
import type { Context } from "../context.ts";
import { failureOf } from "../failure.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { timeCell } from "../output/time.ts";
import type { Session } from "../session.ts";

type Described = ParsedResponse<"describe_group">;
type Place = Described["members"][number]["assignment"][number];

export type GroupAspect = "offsets" | "members" | "state";

interface GroupView {
  readonly group: Described;
  /** Topics that members subscribe to and that are not there: nothing comes of them until somebody makes them. */
  readonly missingTopics: readonly string[];
  readonly partitions: readonly GroupPartitionLag[];
}

/** Columns as kafka-consumer-groups has them. */
const OFFSET_HEADERS = [
  "GROUP",
  "TOPIC",
  "PARTITION",
  "CURRENT-OFFSET",
  "LOG-END-OFFSET",
  "LAG",
  "CONSUMER-ID",
];
const MEMBER_HEADERS = [
  "GROUP",
  "CONSUMER-ID",
  "PARTITIONS",
  "ASSIGNMENT",
  "PENDING",
  "REVOKING",
  "HEARTBEAT-AGE-MS",
  "SESSION-MS",
  "TOPICS",
  "HOST",
  "CLIENT-ID",
];
const STATE_HEADERS = [
  "GROUP",
  "STATE",
  "GENERATION",
  "MEMBERS",
  "ASSIGNOR",
  "REBALANCE",
  "COORDINATOR",
  "REBALANCED",
  "REASON",
  "TYPE",
];

/** Prints the groups: one table, or one document of all. Throws UNKNOWN_GROUP before anything is printed. */
export async function describeGroups(
  context: Context,
  session: Session,
  groups: readonly string[],
  aspect: GroupAspect,
): Promise<void> {
  const withLag = aspect === "offsets" || context.settings.json;
  const described = await Promise.all(groups.map((name) => viewOf(context, session, name, withLag)));
  const views = await withMissingTopics(session, described);
  if (context.settings.json) return context.data.json({ groups: views.map(documentOf) });
  await show(context, views, aspect);
  for (const { group, missingTopics } of views)
    for (const topic of missingTopics)
      context.notes.remark(`the group ${group.group_id} subscribes to ${topic}, which is not there`);
}

async function show(context: Context, views: readonly GroupView[], aspect: GroupAspect): Promise<void> {
  switch (aspect) {
    case "offsets":
      return showOffsets(context, views);
    case "members":
      await context.data.write(renderTable(MEMBER_HEADERS, views.flatMap(memberRows)));
      return remarkEmpty(context, views);
    case "state":
      return context.data.write(renderTable(STATE_HEADERS, views.map(stateRow)));
  }
}

async function viewOf(
  context: Context,
  session: Session,
  name: string,
  withLag: boolean,
): Promise<Omit<GroupView, "missingTopics">> {
  const { interrupted: signal } = context;
  const [group, partitions] = await Promise.all([
    session.call("describe_group", { group_id: name }),
    withLag ? session.client.admin().groupLag(name, { signal }) : [],
  ]);
  return { group, partitions };
}

async function withMissingTopics(
  session: Session,
  views: readonly Omit<GroupView, "missingTopics">[],
): Promise<GroupView[]> {
  const subscribed = views.map(({ group }) => [...new Set(group.members.flatMap(({ topics }) => topics))]);
  if (subscribed.flat().length === 0) return views.map((view) => ({ ...view, missingTopics: [] }));
  const there = new Set((await session.call("list_topics", {})).topics.map(({ topic }) => topic));
  return views.map((view, index) => ({
    ...view,
    missingTopics: (subscribed[index] ?? []).filter((topic) => !there.has(topic)).sort(),
  }));
}

async function showOffsets(context: Context, views: readonly GroupView[]): Promise<void> {
  await context.data.write(renderTable(OFFSET_HEADERS, views.flatMap(offsetRows)));
  remarkEmpty(context, views);
  for (const { group, partitions } of views) {
    if (partitions.length === 0) context.notes.remark(`the group ${group.group_id} has committed nothing`);
    for (const each of partitions) {
      const remark = remarkOn(each);
      if (remark !== null) context.notes.remark(`${each.topic} [${each.partition}]: ${remark}`);
    }
  }
}

function remarkOn({ error, lag, committedOffset, endOffset }: GroupPartitionLag): string | null {
  if (error !== null) {
    const { code, message } = failureOf(error);
    return `${code}: ${message}`;
  }
  if (committedOffset === null || lag !== null) return null;
  return `what is committed, ${committedOffset}, lies past the end, ${endOffset}: the next read resets`;
}

function remarkEmpty(context: Context, views: readonly GroupView[]): void {
  for (const { group } of views)
    if (group.members.length === 0) context.notes.remark(`the group ${group.group_id} has no members`);
}

function offsetRows({ group, partitions }: GroupView): Cell[][] {
  return partitions.map((each) => [
    group.group_id,
    each.topic,
    each.partition,
    each.committedOffset,
    each.endOffset,
    each.lag,
    each.memberId,
  ]);
}

function memberRows({ group }: GroupView): Cell[][] {
  return group.members.map((member) => [
    group.group_id,
    member.member_id,
    member.assignment.length,
    placesText(member.assignment),
    placesText(member.pending),
    placesText(member.revoking),
    member.heartbeat_age_ms,
    member.session_timeout_ms,
    member.topics.join(","),
    member.classic?.client_host ?? null,
    member.classic?.client_id ?? null,
  ]);
}

function stateRow({ group }: GroupView): Cell[] {
  return [
    group.group_id,
    group.state,
    group.generation,
    group.members.length,
    group.assignor ?? group.classic?.protocol ?? null,
    group.rebalance,
    group.coordinator_id,
    timeCell(group.last_rebalance?.at_ms ?? null),
    group.last_rebalance?.reason ?? null,
    group.type,
  ];
}

/** As it is on the wire. */
function memberDocument({ classic, ...member }: Described["members"][number]): object {
  if (classic === null) return { ...member, classic };
  const { metadata_b64: metadata, assignment_b64: assignment, ...names } = classic;
  const bytes = { metadata_b64: metadata.toString("base64"), assignment_b64: assignment.toString("base64") };
  return { ...member, classic: { ...names, ...bytes } };
}

/** `orders(0,2),logs(1)`: one word for awk. */
export function placesText(places: readonly Place[]): string {
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition } of places) byTopic.set(topic, [...(byTopic.get(topic) ?? []), partition]);
  return [...byTopic]
    .map(([topic, partitions]) => `${topic}(${partitions.sort((left, right) => left - right).join(",")})`)
    .join(",");
}

function documentOf({ group, partitions, missingTopics }: GroupView): object {
  return {
    ...group,
    members: group.members.map(memberDocument),
    missing_topics: missingTopics,
    partitions: partitions.map((each) => ({
      topic: each.topic,
      partition: each.partition,
      committed_offset: each.committedOffset,
      end_offset: each.endOffset,
      lag: each.lag,
      member_id: each.memberId,
      ...(each.error === null ? {} : { problem: `${failureOf(each.error).code}: ${each.error.message}` }),
    })),
  };
}
