/** What one shard keeps for its groups: who is in them, and how far they have read. */
import type { RecordsOfKind } from "../coordinator/record-kinds.ts";
import type { Clock } from "../env/clock.ts";
import { OffsetStore } from "../offsets/offset-store.ts";
import { GroupKeeper } from "./group-keeper.ts";
import type { GroupEntry } from "./group-record.ts";
import type { Group } from "./group-state.ts";

/** By the kind that stands in the keys of their records. */
export type GroupKinds = {
  readonly offset: OffsetStore;
  readonly group: GroupKeeper & RecordsOfKind<GroupEntry>;
};

export function newGroupKinds(clock: Clock): GroupKinds {
  return { offset: new OffsetStore(), group: new GroupKeeper(clock) };
}

/** The group as the next event finds it. One that has offsets is there, though nobody was ever a member. */
export function currentGroup({ group, offset }: GroupKinds, groupId: string): Group {
  return withOffsets(group.current(groupId), offset);
}

/** The group as it may be shown. */
export function committedGroup({ group, offset }: GroupKinds, groupId: string): Group {
  return withOffsets(group.committed(groupId), offset);
}

function withOffsets(group: Group, offset: OffsetStore): Group {
  return group.isDead && offset.countOf(group.groupId) > 0 ? { ...group, isDead: false } : group;
}

/** Since when a group has no members, `null` while it has some; 0 when it has had none in this life of it. */
export function heldUntilMs({ group }: GroupKinds, groupId: string): number | null {
  const classic = group.occupied(groupId);
  if (classic !== null) return null;
  const { isDead, emptySinceMs } = group.current(groupId);
  return isDead ? 0 : emptySinceMs;
}
