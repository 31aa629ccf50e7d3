/** How many offsets a group may have, and how many groups. */
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";
import type { CommitRequest } from "./commit-request.ts";
import type { OffsetStore } from "./offset-store.ts";

/**
 * Throws INVALID_REQUEST for more offsets of a group, or groups with offsets, than a partition of the internal topic keeps. What
 * transactions have staged takes room as if they all committed.
 */
export function requireRoom(store: OffsetStore, { groupId, offsets }: CommitRequest): void {
  const { offsetsPerGroupMax, groupsPerPartitionMax } = LIMITS;
  const staged = store.staged.of(groupId).filter((place) => store.get(place) === null);
  const before = store.countOf(groupId) + staged.length;
  const groups = store.groupCount + stagedGroups(store);
  if (before === 0 && groups >= groupsPerPartitionMax) {
    const message = `there are ${groups} groups with offsets beside ${quoted(groupId)}; expected fewer than ${groupsPerPartitionMax}`;
    throw new BrokerError("INVALID_REQUEST", message, { groups, groups_max: groupsPerPartitionMax });
  }
  if (before + offsets.length <= offsetsPerGroupMax) return;
  const added = offsets.filter(({ topic, partition, offset }) => {
    const place = { groupId, topic, partition };
    return offset !== null && store.get(place) === null && !store.staged.has(place);
  });
  const after = before + added.length;
  if (after <= offsetsPerGroupMax) return;
  const message = `the group ${quoted(groupId)} would have ${after} offsets; expected at most ${offsetsPerGroupMax}`;
  throw new BrokerError("INVALID_REQUEST", message, { offsets: after, offsets_max: offsetsPerGroupMax });
}

/** Groups that have nothing but what is staged. */
function stagedGroups(store: OffsetStore): number {
  let count = 0;
  for (const groupId of store.staged.groupIds()) if (store.countOf(groupId) === 0) count += 1;
  return count;
}
