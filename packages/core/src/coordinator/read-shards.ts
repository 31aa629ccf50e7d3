/** What all partitions of a coordinator's topic say together, as far as they can be read. */
import { BrokerError } from "../errors.ts";
import type { CoordinatorShard } from "./coordinator-shard.ts";
import type { CoordinatorTopic } from "./coordinator-topic.ts";
import type { Wait } from "./give-up.ts";
import type { RecordKinds } from "./record-kinds.ts";

/** A partition of the internal topic of which nothing is known now. */
export interface UnreadableShard {
  readonly partition: number;
  readonly error: BrokerError;
}

export interface ReadShards<Item> {
  /** By partition. */
  readonly items: Item[];
  readonly unreadable: readonly UnreadableShard[];
}

/**
 * Asks every partition for its items, and names those that refuse: CoordinatorShard.read says with what. Rejects when all do, and
 * with a fault of ours, which hides behind nothing.
 */
export async function readShards<Kinds extends RecordKinds, Item>(
  topic: CoordinatorTopic<Kinds>,
  itemsOf: (kinds: Kinds, shard: CoordinatorShard<Kinds>) => readonly Item[],
  wait: Wait = {},
): Promise<ReadShards<Item>> {
  const shards = topic.shards();
  const read = await Promise.allSettled(
    shards.map((shard) => shard.read((kinds) => itemsOf(kinds, shard), wait)),
  );
  const unreadable = read.flatMap((result, index): UnreadableShard[] => {
    if (result.status === "fulfilled") return [];
    if (!(result.reason instanceof BrokerError)) throw result.reason;
    return [{ partition: shards[index]?.partition ?? index, error: result.reason }];
  });
  const [first] = unreadable;
  if (first !== undefined && unreadable.length === shards.length) throw first.error;
  return { items: read.flatMap((result) => (result.status === "fulfilled" ? result.value : [])), unreadable };
}
