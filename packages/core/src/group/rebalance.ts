/**
 * The two changes that hand partitions out: a new generation, and a release within one. Pure.
 *
 * With the dial `barrier` a partition that somebody holds stays with it until it lets go, and then goes to whose target it is,
 * in the same change (KIP-848, KIP-429). With `immediate` every new generation gives everybody its target at once, whoever had
 * it before: the former owner finds out when it asks.
 */
import { assert } from "../assert.ts";
import { assign } from "./assignors/assign.ts";
import { type Group, type Member, type SeenTopic, topicsOf } from "./group-state.ts";
import { difference, keyOf, keysOf, type Partitions, partitionSet } from "./partition-sets.ts";

export const REBALANCE_DIALS = ["barrier", "immediate"] as const;
export type RebalanceDial = (typeof REBALANCE_DIALS)[number];

/** What a change of a group depends on beside the group. */
export interface GroupWorld {
  readonly rebalance: RebalanceDial;
  /** The topic as it is now; `null` when there is none. */
  readonly topicOf: (topic: string) => SeenTopic | null;
  readonly nowMs: number;
}

/** `group` with `members` in its next generation, which begins because of `reason`. */
export function nextGeneration(
  group: Group,
  { members, reason }: { readonly members: readonly Member[]; readonly reason: string },
  world: GroupWorld,
): Group {
  const generation = group.generation + 1;
  const sorted = [...members].sort((left, right) => (left.memberId < right.memberId ? -1 : 1));
  const topics = seenTopics(sorted, world);
  const staying = sorted.map((member) => ({
    ...member,
    assigned: stillThere(member.assigned, group, topics),
  }));
  const targeted = withTargets(staying, topics, group);
  const isEmpty = members.length === 0;
  return {
    groupId: group.groupId,
    generation,
    assignor: isEmpty ? null : group.assignor,
    members: byId(world.rebalance === "immediate" ? targeted.map(atTarget) : handOut(targeted)),
    topics,
    emptySinceMs: isEmpty ? world.nowMs : null,
    lastRebalance: { generation, reason, atMs: world.nowMs },
    isDead: false,
  };
}

/** `group` after one of its members let `released` go; what others were waiting for is theirs from here on. */
export function afterRelease(group: Group, memberId: string, released: Partitions): Group {
  const members = [...group.members.values()].map((member) =>
    member.memberId === memberId ? { ...member, assigned: difference(member.assigned, released) } : member,
  );
  return { ...group, members: byId(handOut(members)) };
}

/** Each heartbeat asks, and a group's members are many; a group as a value never changes. */
const topicsByGroup = new WeakMap<Group, ReadonlySet<string>>();

function topicsOfGroup(group: Group): ReadonlySet<string> {
  const known = topicsByGroup.get(group) ?? topicsOf(group.members.values());
  topicsByGroup.set(group, known);
  return known;
}

/** Why the topics that decide the group's targets are not what they were, or `null` when they are. */
export function topicChange(group: Group, { topicOf }: Pick<GroupWorld, "topicOf">): string | null {
  const changes: string[] = [];
  for (const topic of topicsOfGroup(group)) {
    const before = group.topics.get(topic);
    const now = topicOf(topic);
    if (before === undefined && now !== null) changes.push(`the topic ${topic} has come`);
    else if (before !== undefined && now === null) changes.push(`the topic ${topic} is gone`);
    else if (before !== undefined && now !== null) {
      if (before.topicId !== now.topicId) changes.push(`the topic ${topic} was made anew`);
      else if (before.partitions !== now.partitions)
        changes.push(`the topic ${topic} has ${now.partitions} partitions instead of ${before.partitions}`);
    }
  }
  return changes.length === 0 ? null : someOf(changes);
}

/** A reason stands in every record of the group, and is read by people. */
export function someOf(reasons: readonly string[]): string {
  const others = reasons.length - 3;
  return others > 0 ? `${reasons.slice(0, 3).join(", ")} and ${others} more` : reasons.join(", ");
}

function seenTopics(members: readonly Member[], { topicOf }: GroupWorld): ReadonlyMap<string, SeenTopic> {
  const seen = new Map<string, SeenTopic>();
  for (const topic of [...topicsOf(members)].sort()) {
    const now = topicOf(topic);
    if (now !== null) seen.set(topic, now);
  }
  return seen;
}

/** What is gone is taken from whoever held it at once: a topic that was made anew has other records. */
function stillThere(assigned: Partitions, group: Group, topics: ReadonlyMap<string, SeenTopic>): Partitions {
  return assigned.filter(({ topic, partition }) => {
    const now = topics.get(topic);
    return (
      now !== undefined && now.topicId === group.topics.get(topic)?.topicId && partition < now.partitions
    );
  });
}

function withTargets(
  members: readonly Member[],
  topics: ReadonlyMap<string, SeenTopic>,
  { assignor }: Group,
): Member[] {
  if (members.length === 0) return [];
  assert(assignor !== null, "a group with members has an assignor");
  const partitionCounts = new Map([...topics].map(([topic, { partitions }]) => [topic, partitions]));
  const targets = assign(assignor, { members, partitionCounts });
  return members.map((member) => ({ ...member, target: targets.get(member.memberId) ?? [] }));
}

function atTarget(member: Member): Member {
  return { ...member, assigned: member.target };
}

/** Every target that nobody holds is assigned to whose it is. */
function handOut(members: readonly Member[]): Member[] {
  const held = keysOf(members.flatMap(({ assigned }) => assigned));
  return members.map((member) => {
    const free = member.target.filter((partition) => !held.has(keyOf(partition)));
    return free.length === 0 ? member : { ...member, assigned: partitionSet([...member.assigned, ...free]) };
  });
}

function byId(members: readonly Member[]): ReadonlyMap<string, Member> {
  return new Map(members.map((member) => [member.memberId, member]));
}
