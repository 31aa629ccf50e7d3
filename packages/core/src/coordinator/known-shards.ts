/** What is in memory of a coordinator's topic in this instant, for who wants to tell what a step would do and load nothing. */
import type { TopicPartition } from "../replica/topic-partition.ts";
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

/** Partitions of an internal topic that a step has read into memory. */
export interface Loaded {
  readonly loaded: readonly TopicPartition[];
}

/**
 * Takes `act`, and tells beside its answer which partitions came into memory meanwhile: those that it asked, or another at the same
 * time.
 */
export async function tellingLoads<Kinds extends RecordKinds, Answer extends object>(
  topic: CoordinatorTopic<Kinds>,
  act: () => Promise<Answer>,
): Promise<Answer & Loaded> {
  const { unloaded } = knownShards(topic);
  const answer = await act();
  const shards = topic.shards();
  const loaded = unloaded.filter((partition) => (shards[partition]?.standing.kinds ?? null) !== null);
  return { ...answer, loaded: loaded.map((partition) => ({ topic: topic.topic, partition })) };
}
