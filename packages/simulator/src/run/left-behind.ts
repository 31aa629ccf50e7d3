/** A broker that stops while others go on, and comes back to lead with what it had: what only they hold is lost there. */
import { type BrokerCluster, BrokerError, type TopicPartition } from "@minikafka/core";
import type { ActOf } from "../script/entry.ts";
import { promoteTo } from "./leader-acts.ts";
import { placeOf } from "./occasion-acts.ts";
import { operate } from "./operator.ts";
import type { RunWorld } from "./world.ts";

export function leftBehind(world: RunWorld, { brokerId, from, until, nth }: ActOf<"left_behind">): void {
  const { occasions, process, timeline } = world;
  const soon = (act: () => void) => {
    const { life } = process;
    timeline.plan(0, () => {
      if (life === process.life && !process.isDying && !occasions.isOver) act();
    });
  };
  occasions.await(from, 1, () =>
    soon(() =>
      operate(world, (cluster) => goOnWithout(cluster, brokerId), {
        done: () =>
          occasions.await(until, nth, (event) => {
            const place = placeOf(world, event);
            if (place !== null) soon(() => comeBack(world, place, brokerId));
          }),
      }),
    ),
  );
}

/** Nobody waits for what it holds. */
async function goOnWithout(cluster: BrokerCluster, brokerId: number): Promise<void> {
  await cluster.stopBroker(brokerId);
  for (const { topic } of cluster.listTopics())
    for (const { partition, leaderId, inSyncReplicas } of cluster.metadata(topic).partitions) {
      const place = { topic, partition };
      const other = inSyncReplicas.find((id) => id !== brokerId);
      if (other === undefined || !inSyncReplicas.includes(brokerId)) continue;
      if (leaderId === null) await unlessRefused(() => cluster.promote(place, other));
      await unlessRefused(() => cluster.removeFromIsr(place, brokerId));
    }
}

/** It may be out of sync there. */
function comeBack(world: RunWorld, place: TopicPartition, brokerId: number): void {
  operate(world, async (cluster) => {
    await cluster.startBroker(brokerId);
    world.folders.started(brokerId);
    if (cluster.hasTopic(place.topic)) await promoteTo(world, cluster, place, { brokerId, unclean: true });
  });
}

async function unlessRefused(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
  }
}
