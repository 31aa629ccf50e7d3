/** What time does to classic groups: found by a step, since the kernel has no timer, and told before it is taken. */
import type { CoordinatorShard } from "../../coordinator/coordinator-shard.ts";
import type { Wait } from "../../coordinator/give-up.ts";
import type { ExpiredMember } from "../group-events.ts";
import type { GroupKinds } from "../group-kinds.ts";
import type { ClassicChanges } from "./classic-changes.ts";
import type { ClassicEventOf } from "./classic-events.ts";
import type { ClassicRoom } from "./classic-keeper.ts";
import type { ClassicGroup } from "./classic-state.ts";
import type { ClassicDeadline } from "./member-deadlines.ts";
import type { ClassicWorld } from "./rebalancing.ts";
import { afterClassic } from "./transitions.ts";

/** Groups of which something is over. */
export function duesIn({ group: keeper }: GroupKinds): string[] {
  return [...keeper.classic.rooms()].flatMap(([groupId, room]) =>
    passedIn(keeper.currentClassic(groupId), room) === null ? [] : [groupId],
  );
}

/** Ends what is over in one group; resolves with who is no member any more when that is acknowledged. */
export async function expireClassic(
  changes: ClassicChanges,
  { shard, groupId }: { readonly shard: CoordinatorShard<GroupKinds>; readonly groupId: string },
  wait: Wait,
): Promise<ExpiredMember[]> {
  // What was over when it was looked for may have been heard of since.
  const { removed } = await changes.act(groupId, { event: passedIn }, { ...wait, at: shard });
  return removed.map(({ memberId, cause }) => ({ groupId, memberId, cause }));
}

export interface ForetoldClassic {
  readonly expired: readonly ExpiredMember[];
  /** Groups that lose nobody, and go on all the same. */
  readonly rebalanced: readonly { readonly groupId: string; readonly reason: string }[];
}

/** What expireClassic() would do now with all of them. */
export function foretoldClassic(kinds: GroupKinds, world: ClassicWorld): ForetoldClassic {
  const expired: ExpiredMember[] = [];
  const rebalanced: { groupId: string; reason: string }[] = [];
  for (const [groupId, room] of kinds.group.classic.rooms()) {
    const before = kinds.group.currentClassic(groupId);
    const event = passedIn(before, room);
    if (event === null) continue;
    const { group, removed } = afterClassic(before, event, world);
    for (const { memberId, cause } of removed) expired.push({ groupId, memberId, cause });
    if (removed.length > 0) continue;
    const isNext = group.generation !== before.generation;
    const reason = isNext ? group.lastRebalance?.reason : undefined;
    rebalanced.push({ groupId, reason: reason ?? "it waits on for more members" });
  }
  return { expired, rebalanced };
}

/** When there will be more to do. */
export function classicDeadlines({
  group: keeper,
}: GroupKinds): ({ readonly groupId: string } & ClassicDeadline)[] {
  return [...keeper.classic.rooms()].flatMap(([groupId, { sessions, parked }]) =>
    sessions.deadlines(keeper.currentClassic(groupId), parked).map((each) => ({ groupId, ...each })),
  );
}

function passedIn(group: ClassicGroup, room: ClassicRoom | undefined): ClassicEventOf<"time_passed"> | null {
  const passed = room?.sessions.passed(group, room.parked) ?? null;
  return passed === null ? null : { kind: "time_passed", ...passed };
}
