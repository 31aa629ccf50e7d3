/** Where tests of transactions on three brokers begin, and how the brokers come to have the same. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { OFFSETS_TOPIC } from "./offsets-world.ts";
import { settle } from "./replica-world.ts";
import { replicatedUntil } from "./replicated-until.ts";
import { openTransactions, TRANSACTIONS_TOPIC, TransactionalProducer } from "./transactional-producer.ts";
import { memoryWorld, type World } from "./world.ts";

export const STATES = { topic: TRANSACTIONS_TOPIC, partition: 0 };
export const OFFSETS = { topic: OFFSETS_TOPIC, partition: 0 };

export interface Stage {
  readonly world: World;
  readonly cluster: BrokerCluster;
  readonly producer: TransactionalProducer;
}

/** An instance that has its first identity. */
export async function initialized(transactionalId?: string): Promise<Stage> {
  const world = memoryWorld();
  const cluster = await openTransactions(world, { brokers: 3 });
  const producer = new TransactionalProducer(cluster, transactionalId);
  await replicatedUntil(cluster, producer.init());
  return { world, cluster, producer };
}

/** Its first transaction is open, and nothing is written. */
export async function begun(): Promise<Stage> {
  const stage = await initialized();
  await replicatedUntil(stage.cluster, stage.producer.begin());
  return stage;
}

/** Every replica in sync has everything, or all of `topics`, and its leader knows. */
export async function copied(cluster: BrokerCluster, topics?: readonly string[]): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    if (topics === undefined) await cluster.replicateOnce();
    for (const topic of topics ?? []) if (cluster.hasTopic(topic)) await cluster.replicateOnce({ topic });
  }
  await settle();
}
