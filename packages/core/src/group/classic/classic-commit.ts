/** Who may commit offsets of a classic group (Kafka: ClassicGroup.validateOffsetCommit). Pure. */
import type { Committer } from "../../offsets/commit-request.ts";
import { notAMember } from "../group-refusals.ts";
import { rebalancing } from "./classic-refusals.ts";
import type { ClassicGroup } from "./classic-state.ts";
import { requireInGeneration } from "./syncing.ts";

/**
 * Throws UNKNOWN_MEMBER, FENCED_INSTANCE_ID, ILLEGAL_GENERATION, and REBALANCE_IN_PROGRESS before the generation has assignments.
 * Offsets of a transaction are taken from who names no member, as its own fence holds (KIP-447), and in any state. What a member
 * holds only members know. `group` has members.
 */
export function requireClassicCommitter(
  group: ClassicGroup,
  { member, isTransactional }: { readonly member: Committer | null; readonly isTransactional: boolean },
): void {
  if (member === null || isNobody(member)) {
    if (!isTransactional) throw notAMember(group);
    return;
  }
  const { groupInstanceId: instanceId = null } = member;
  requireInGeneration(group, { ...member, instanceId });
  if (!isTransactional && group.state === "completing_rebalance") throw rebalancing(group);
}

/** Whether a commit is a sign of life in this state, as in Kafka. */
export function isSignOfLife({ state }: ClassicGroup): boolean {
  return state === "stable" || state === "preparing_rebalance";
}

/** Who says that it is no member (Kafka: generation -1 and no member id). */
function isNobody({ memberId, generation, groupInstanceId = null }: Committer): boolean {
  return generation < 0 && memberId === "" && groupInstanceId === null;
}
