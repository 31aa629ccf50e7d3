/** What may befall a cluster of several brokers while its clients go on: leaders that change, and brokers that are away for a while. */
import { type Client, hasCode, isRetriable } from "@minikafka/client";
import type { Dice } from "./dice.ts";

/** Makes another replica in sync the leader of each partition of the topics for which `moves` says so. */
async function moveLeaders(
  client: Client,
  topics: readonly string[],
  below: Dice,
  moves: (leaderId: number) => boolean,
): Promise<void> {
  const admin = client.admin();
  for (const topic of topics)
    for (const { partition, leaderId, isr } of (await admin.metadata(topic)).partitions) {
      if (leaderId !== null && !moves(leaderId)) continue;
      const others = isr.filter((brokerId) => brokerId !== leaderId);
      const brokerId = others[below(others.length)];
      if (brokerId === undefined) continue;
      try {
        await admin.promote({ topic, partition }, brokerId);
      } catch (error) {
        // It may have fallen behind since, or be away.
        if (!isRetriable(error) && !hasCode(error, "NOT_IN_SYNC_REPLICA", "BROKER_NOT_AVAILABLE"))
          throw error;
      }
    }
}

/** Leaders change, or a broker is away for a while, and others lead what it led. */
export async function trouble(client: Client, topics: readonly string[], below: Dice): Promise<void> {
  if (below(2) === 0) return moveLeaders(client, topics, below, () => below(2) === 0);
  const admin = client.admin();
  const brokers = (await admin.describeCluster()).brokers;
  const { brokerId = 1 } = brokers[below(brokers.length)] ?? {};
  await admin.stopBroker(brokerId);
  await moveLeaders(client, topics, below, (leaderId) => leaderId === brokerId);
  await admin.startBroker(brokerId);
}
