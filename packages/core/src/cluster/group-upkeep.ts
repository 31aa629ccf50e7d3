/** The steps on groups, each with all that it did: what it found in memory, and what it had to read first. */
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { type Loaded, tellingLoads } from "../coordinator/known-shards.ts";
import type { Env } from "../env/env.ts";
import type { GroupKinds } from "../group/group-kinds.ts";
import { type ForgottenGroups, forgetGroups } from "../group/group-removal.ts";
import { expireMembers, type KindsOfChanges, type TendedMembers } from "../group/member-expiry.ts";
import type { ForgottenOffset, OffsetExpiry } from "../offsets/offset-forgetting.ts";
import { allSettled } from "./all-settled.ts";

export interface GroupUpkeepParts {
  readonly topic: CoordinatorTopic<GroupKinds>;
  readonly changes: KindsOfChanges;
  readonly expiry: OffsetExpiry<GroupKinds>;
  readonly retentionMs: number;
}

/** What the step has done. */
export interface TendedOffsets extends ForgottenGroups {
  readonly expired: readonly ForgottenOffset[];
}

/** See expireMembers() in member-expiry.ts. */
export function tendMembers(
  { topic, changes }: GroupUpkeepParts,
  wait?: Wait,
): Promise<TendedMembers & Loaded> {
  return tellingLoads(topic, () => expireMembers(changes, wait));
}

/** See OffsetExpiry.expire; groups of which nothing is left go with it. */
export function tendOffsets(
  { topic, changes, expiry, retentionMs }: GroupUpkeepParts,
  env: Env,
): Promise<TendedOffsets & Loaded> {
  return tellingLoads(topic, async () => {
    const expired = expiry.expire();
    await Promise.allSettled([expired]);
    const gone = forgetGroups(changes.consumer, { retentionMs }, env);
    await allSettled([expired, gone]);
    return { expired: await expired, ...(await gone) };
  });
}
