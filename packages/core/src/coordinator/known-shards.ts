/** What is in memory of a coordinator's topic in this instant, for who wants to tell what a step would do and load nothing. */
import type { CoordinatorTopic } from "./coordinator-topic.ts";
import type { RecordKinds } from "./record-kinds.ts";

export interface KnownShards<Kinds extends RecordKinds> {
  /** By partition. */
  readonly known: readonly Kinds[];
  /** The numbers of partitions that somebody leads and whose state is not in memory: a step that asks them loads it first. */
  readonly unloaded: readonly number[];
}

export function knownShards<Kinds extends RecordKinds>(topic: CoordinatorTopic<Kinds>): KnownShards<Kinds> {
  const known: Kinds[] = [];
  const unloaded: number[] = [];
  for (const shard of topic.shards()) {
    const { kinds, canLoad } = shard.standing;
    if (kinds !== null) known.push(kinds);
    else if (canLoad) unloaded.push(shard.partition);
  }
  return { known, unloaded };
}
