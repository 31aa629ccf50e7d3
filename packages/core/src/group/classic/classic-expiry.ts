/** What time does to classic groups: found by a step, since the kernel has no timer, and told before it is taken. */
import type { CoordinatorShard } from "../../coordinator/coordinator-shard.ts";
import type { Wait } from "../../coordinator/give-up.ts";
import type { ExpiredMember, Rebalanced } from "../group-events.ts";
import type { GroupKinds } from "../group-kinds.ts";
import type { ClassicChanges } from "./classic-changes.ts";
import type { ClassicEventOf } from "./classic-events.ts";
import type { ClassicRoom } from "./classic-keeper.ts";
import type { ClassicGroup } from "./classic-state.ts";
import type { ClassicDeadline } from "./member-deadlines.ts";
import type { ClassicWorld } from "./rebalancing.ts";
import { afterClassic } from "./transitions.ts";

/** Why a group goes on that is not rebalanced yet: of that nothing is written. */
export const WAITS_ON = "it waits on for more members";

/** Groups of which something is over. */
export function duesIn({ group: keeper }: GroupKinds): string[] {
  return [...keeper.classic.rooms()].flatMap(([groupId, room]) =>
    passedIn(keeper.currentClassic(groupId), room) === null ? [] : [groupId],
  );
}

/** Ends what is over in one group; resolves with what became of it when that is acknowledged. */
export async function expireClassic(
  changes: ClassicChanges,
  { shard, groupId }: { readonly shard: CoordinatorShard<GroupKinds>; readonly groupId: string },
  wait: Wait,
): Promise<TendedClassic> {
  // What was over when it was looked for may have been heard of since.
  let tended: TendedClassic = { expired: [], rebalanced: [] };
  const event = (group: ClassicGroup, room: ClassicRoom | undefined) => {
    const passed = passedIn(group, room);
    if (passed !== null) tended = afterTime(group, passed, changes.world);
    return passed;
  };
  await changes.act(groupId, { event }, { ...wait, at: shard });
  return tended;
}

export interface TendedClassic {
  readonly expired: readonly ExpiredMember[];
  /** Groups that lose nobody, and go on all the same. */
  readonly rebalanced: readonly Rebalanced[];
}

/** What expireClassic() would do now with all of them. */
export function foretoldClassic(kinds: GroupKinds, world: ClassicWorld): TendedClassic {
  const expired: ExpiredMember[] = [];
  const rebalanced: Rebalanced[] = [];
  for (const [groupId, room] of kinds.group.classic.rooms()) {
    const before = kinds.group.currentClassic(groupId);
    const event = passedIn(before, room);
    if (event === null) continue;
    const tended = afterTime(before, event, world);
    expired.push(...tended.expired);
    rebalanced.push(...tended.rebalanced);
  }
  return { expired, rebalanced };
}

function afterTime(
  before: ClassicGroup,
  event: ClassicEventOf<"time_passed">,
  world: ClassicWorld,
): TendedClassic {
  const { groupId } = before;
  const { group, removed } = afterClassic(before, event, world);
  const expired = removed.map(({ memberId, cause }) => ({ groupId, memberId, cause }));
  if (expired.length > 0) return { expired, rebalanced: [] };
  const isNext = group.generation !== before.generation;
  const reason = isNext ? group.lastRebalance?.reason : undefined;
  return { expired, rebalanced: [{ groupId, reason: reason ?? WAITS_ON }] };
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
