/** Who is to lead, by the word of an operator, and who is in sync. */
import type { BrokerCluster, TopicPartition } from "@minikafka/core";
import { placeName } from "../world/topics.ts";
import { operate } from "./operator.ts";
import type { RunWorld } from "./world.ts";

export async function promoteTo(
  { recorder }: RunWorld,
  cluster: BrokerCluster,
  place: TopicPartition,
  { brokerId, unclean }: { readonly brokerId: number; readonly unclean: boolean },
): Promise<void> {
  const recorded = recorder.asked("promote", "operator", { place: placeName(place), brokerId, unclean });
  try {
    const { leaderEpoch } = await cluster.promote(place, brokerId, { unclean });
    recorded.ok({ leaderEpoch });
  } catch (problem) {
    recorded.unknown(null);
    throw problem;
  }
}

/** Those that lag leave, and those that have caught up join. */
export function refreshIsr(world: RunWorld): void {
  operate(world, (cluster) => {
    cluster.refreshIsr();
    world.witness.refreshed(cluster);
  });
}
