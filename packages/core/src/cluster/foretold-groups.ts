/** What time does to groups, told from what is in memory. Changes nothing and loads nothing. */
import { knownShards } from "../coordinator/known-shards.ts";
import type { Clock } from "../env/clock.ts";
import { classicDeadlines, foretoldClassic } from "../group/classic/classic-expiry.ts";
import type { ClassicWorld } from "../group/classic/rebalancing.ts";
import { foretoldMembers, memberDeadlines } from "../group/foretold-members.ts";
import type { GroupParts } from "../group/group-changes.ts";
import type { GroupKinds } from "../group/group-kinds.ts";
import { foretoldForgetting, forgettingTimes } from "../group/group-removal.ts";
import type { OffsetExpiry } from "../offsets/offset-forgetting.ts";
import type { Foretold, StepDeadline } from "./pending-step.ts";

export interface GroupForesightParts {
  readonly groups: Pick<GroupParts, "topic" | "topicOf">;
  /** What classic groups go by. */
  readonly world: ClassicWorld;
  readonly expiry: OffsetExpiry<GroupKinds>;
  readonly retentionMs: number;
  readonly clock: Clock;
}

export interface ForetoldGroups {
  readonly members: Foretold["expire_members"]["would"];
  readonly offsets: Foretold["expire_offsets"]["would"];
  readonly deadlines: readonly StepDeadline[];
}

export function foretoldGroups({
  groups,
  world,
  expiry,
  retentionMs,
  clock,
}: GroupForesightParts): ForetoldGroups {
  const { topic, topicOf } = groups;
  const { known, unloaded } = knownShards(topic);
  const nowMs = clock.nowMs();
  const loads = unloaded.map((partition) => ({ topic: topic.topic, partition }));
  const members = known.flatMap((kinds) => [
    foretoldMembers(kinds, { topicOf }),
    foretoldClassic(kinds, world),
  ]);
  const expired = known.flatMap((kinds) => expiry.foretold(kinds));
  const counts = new Map<string, number>();
  for (const { groupId } of expired) counts.set(groupId, (counts.get(groupId) ?? 0) + 1);
  const gone = known.map((kinds) => foretoldForgetting(kinds, counts, { retentionMs, nowMs }));
  return {
    members: {
      expired: members.flatMap((each) => each.expired),
      rebalanced: members.flatMap((each) => each.rebalanced),
      loads,
    },
    offsets: {
      expired,
      dying: gone.flatMap((each) => each.dying),
      forgotten: gone.flatMap((each) => each.forgotten),
      loads,
    },
    deadlines: known.flatMap((kinds) => [
      ...memberDeadlines(kinds).map(({ leftMs, cause, ...member }): StepDeadline => {
        return { dueMs: Math.ceil(nowMs + leftMs), what: cause, operation: "expire_members", ...member };
      }),
      ...classicDeadlines(kinds).map(({ leftMs, what, groupId, memberId }): StepDeadline => {
        const of = memberId === null ? { groupId } : { groupId, memberId };
        return { dueMs: Math.ceil(nowMs + leftMs), what, operation: "expire_members", ...of };
      }),
      ...expiry.dueTimes(kinds).map((each): StepDeadline => {
        return { what: "offset_retention", operation: "expire_offsets", ...each };
      }),
      ...forgettingTimes(kinds, { retentionMs }).map((each): StepDeadline => {
        return { what: "group_retention", operation: "expire_offsets", ...each };
      }),
    ]),
  };
}
