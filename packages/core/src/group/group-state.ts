/**
 * A consumer group as a value. It is never changed: a change is another value (transitions.ts), a record of the log that says
 * all of it (group-record.ts), and nothing else.
 *
 * What holds of every one (groupProblem() says what does not):
 * - no partition is assigned to two members, and none is the target of two;
 * - a target is something that its member subscribes to, of a topic that was seen;
 * - a group with members has an assignor and no `emptySinceMs`; one without has it the other way round.
 */
import type { AssignorName } from "./assignors/assignor.ts";
import { areSame, difference, intersection, keyOf, type Partitions } from "./partition-sets.ts";

/** A topic as the group last saw it. Another id is another topic, whatever it is called. */
export interface SeenTopic {
  readonly topicId: string;
  readonly partitions: number;
}

export interface Member {
  readonly memberId: string;
  /** Sorted, each once; there need not be such topics. */
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** The generation that began when it joined. One that was expired and joins again is another member of the same name. */
  readonly since: number;
  /** What the coordinator counts as held by it, in order: nobody else may have it. */
  readonly assigned: Partitions;
  /** What it is to have in the end, in order. */
  readonly target: Partitions;
}

export interface Group {
  readonly groupId: string;
  /** Counts the changes of membership, 0 before the first. It never goes back, also not when the group is deleted. */
  readonly generation: number;
  readonly assignor: AssignorName | null;
  /** By member id, in order. */
  readonly members: ReadonlyMap<string, Member>;
  /** Those that there are of the topics that somebody subscribes to, or holds something of. */
  readonly topics: ReadonlyMap<string, SeenTopic>;
  /** Since when there are no members. */
  readonly emptySinceMs: number | null;
  readonly lastRebalance: LastRebalance | null;
  /** There is no such group any more, or not yet; its generation is remembered. */
  readonly isDead: boolean;
}

export interface LastRebalance {
  readonly generation: number;
  /** In plain words. */
  readonly reason: string;
  readonly atMs: number;
}

/** Kafka's ConsumerGroupState (KIP-848), without Assigning: targets are computed at once. */
export type GroupState = "dead" | "empty" | "reconciling" | "stable";

/** What nobody has heard of yet. */
export function newGroup(groupId: string): Group {
  return {
    groupId,
    generation: 0,
    assignor: null,
    members: new Map(),
    topics: new Map(),
    emptySinceMs: 0,
    lastRebalance: null,
    isDead: true,
  };
}

export function stateOf({ isDead, members }: Group): GroupState {
  if (isDead) return "dead";
  if (members.size === 0) return "empty";
  for (const { assigned, target } of members.values()) if (!areSame(assigned, target)) return "reconciling";
  return "stable";
}

/** What a member is told that it may own. */
export function assignmentOf({ assigned, target }: Member): Partitions {
  return intersection(assigned, target);
}

/** What it gets once its former owners have let go. */
export function pendingOf({ assigned, target }: Member): Partitions {
  return difference(target, assigned);
}

/** What it has still to let go. */
export function revokingOf({ assigned, target }: Member): Partitions {
  return difference(assigned, target);
}

/** The topics that decide the targets of `members`: those that somebody subscribes to, and those that somebody holds. */
export function topicsOf(members: Iterable<Member>): ReadonlySet<string> {
  const topics = new Set<string>();
  for (const member of members) {
    for (const topic of member.topics) topics.add(topic);
    for (const { topic } of member.assigned) topics.add(topic);
  }
  return topics;
}

/** The sentence that says which rule of the head of this file is broken, or `null`. */
export function groupProblem(group: Group): string | null {
  const { members, assignor, emptySinceMs, isDead } = group;
  if (isDead && members.size > 0) return "it is dead and has members";
  if ((members.size === 0) !== (assignor === null))
    return "it has members and no assignor, or no members and one";
  if ((members.size === 0) !== (emptySinceMs !== null))
    return "it has members and is empty since a time, or neither";
  for (const what of ["assigned", "target"] as const) {
    const owners = new Map<string, string>();
    for (const member of members.values()) {
      for (const partition of member[what]) {
        const owner = owners.get(keyOf(partition));
        const name = `${partition.topic}-${partition.partition}`;
        if (owner !== undefined) return `${name} is ${what} of ${owner} and of ${member.memberId}`;
        owners.set(keyOf(partition), member.memberId);
        if (partition.partition >= (group.topics.get(partition.topic)?.partitions ?? 0))
          return `${name} is ${what} of ${member.memberId}, and was not seen`;
      }
    }
  }
  for (const { memberId, topics, target } of members.values()) {
    const subscribed = new Set(topics);
    const other = target.find(({ topic }) => !subscribed.has(topic));
    if (other !== undefined) return `${other.topic} is target of ${memberId}, which does not subscribe to it`;
  }
  return null;
}
