/** What a test waits for of a group, and what is missing, in words. */
import type { GroupPartition, GroupView } from "./group-view.ts";
import { requireFlag, requireInteger, requireOneOf, requireText } from "./usage.ts";
import type { Wish } from "./waits.ts";

/** What a group is to be like. */
export interface GroupWish {
  /** As `group(id).state` tells it. */
  readonly state?: GroupView["state"] | undefined;
  /** How many are in it. */
  readonly members?: number | undefined;
  /** It has committed up to the end of every partition that it reads. */
  readonly drained?: boolean | undefined;
}

const STATES = Object.keys({
  empty: true,
  reconciling: true,
  preparing_rebalance: true,
  completing_rebalance: true,
  stable: true,
} satisfies { readonly [State in GroupView["state"]]: true });

/** That a group is as `wanted`; `look` finds it. Throws USAGE for what no group will ever be. */
export function groupWish(
  look: (groupId: string) => GroupView | null,
  groupId: string,
  wanted: GroupWish,
): Wish<GroupView | null> {
  const { state, members, drained } = wanted;
  requireText("groupId", groupId);
  requireOneOf("state", state, STATES);
  if (members !== undefined) requireInteger("members", members, 0);
  requireFlag("drained", drained);
  return {
    what: `the group ${groupId}`,
    look: () => look(groupId),
    missing: (seen) => missingIn(seen, wanted),
  };
}

/** `null` when nothing is. Who wishes for nothing wishes for a stable group. */
function missingIn(group: GroupView | null, wish: GroupWish): string | null {
  if (group === null) return "there is no such group";
  const { state, members, drained } = isEmpty(wish) ? { ...wish, state: "stable" } : wish;
  const missing: string[] = [];
  if (state !== undefined && group.state !== state) missing.push(`it is ${group.state} (expected ${state})`);
  const count = group.members.length;
  if (members !== undefined && count !== members)
    missing.push(`it has ${count} ${count === 1 ? "member" : "members"} (expected ${members})`);
  if (drained === true) missing.push(...undrained(group.partitions));
  return missing.length === 0 ? null : missing.join(", ");
}

function isEmpty({ state, members, drained }: GroupWish): boolean {
  return state === undefined && members === undefined && drained !== true;
}

function undrained(partitions: readonly GroupPartition[]): string[] {
  if (partitions.length === 0) return ["it has neither committed nor been given a partition"];
  return partitions.flatMap(({ topic, partition, committedOffset, endOffset, lag }) => {
    const name = `${topic}/${partition}`;
    if (lag === 0 || (committedOffset === null && endOffset === 0)) return [];
    if (endOffset === null) return [`nobody leads ${name}`];
    if (committedOffset === null) return [`${name} has records up to ${endOffset} and nothing is committed`];
    if (lag === null) return [`${name} ends at ${endOffset} and ${committedOffset} is committed`];
    return [`${name} is ${lag} behind`];
  });
}
