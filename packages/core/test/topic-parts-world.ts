/** Two brokers with `payments` beside `orders`, whose eighty copies are made or removed in parts, and what others do between these. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { append, FOLDER, openCluster } from "./cluster-world.ts";
import { memoryWorld, type World } from "./world.ts";

/** The last partition of `orders`. */
export const ORDERS = { topic: "orders", partition: 39 };
export const PAYMENTS = { topic: "payments", partition: 0 };
export const REQUEST = { topic: "orders", partitions: 40, replicationFactor: 2 };
export const COPIES = 80;

export interface Running {
  readonly world: World;
  readonly cluster: BrokerCluster;
}

/** A turn of others between two parts, told which one it is. */
export type Turn = (nth: number, running: Running) => unknown;

/** A cluster with a record in `payments`; turns come once `prepare` is done. */
export async function runningInParts(
  turn: Turn,
  paymentsPartitions: number,
  prepare: (cluster: BrokerCluster) => Promise<unknown> = async () => {},
): Promise<Running> {
  let [isReady, nth] = [false, 0];
  const world = memoryWorld();
  const pause = async (): Promise<void> => {
    if (isReady) await turn(++nth, { world, cluster });
  };
  const cluster: BrokerCluster = await openCluster({ ...world, pause }, { brokerIds: [1, 2] });
  cluster.createTopic({ topic: "payments", partitions: paymentsPartitions });
  await append(cluster, PAYMENTS, "paid", "all");
  await prepare(cluster);
  isReady = true;
  return { world, cluster };
}

/** Those of a topic, on both brokers. */
export function foldersOf({ disk }: Pick<World, "disk">, topic: string): string[] {
  return [1, 2].flatMap((id) =>
    disk
      .readFolder(`${FOLDER}/broker-${id}`)
      .map(({ name }) => `${id}/${name}`)
      .filter((name) => name.includes(`/${topic}-`)),
  );
}
