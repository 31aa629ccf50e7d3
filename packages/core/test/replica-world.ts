/** Three brokers in a test world, one partition on all of them, and what each of its replicas holds and knows. */
import { decodeRecords, splitFrames } from "@minikafka/record";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import type { Acks } from "../src/replica/acknowledgement.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import { batchOf, openCluster } from "./cluster-world.ts";
import type { World } from "./world.ts";

export const ORDERS: TopicPartition = { topic: "orders", partition: 0 };

export interface ReplicatedOptions {
  readonly brokers?: number;
  readonly minInSyncReplicas?: number;
  readonly config?: Partial<ClusterConfig>;
}

/** Opens a cluster of `brokers` (default 3), with a partition on all of them that broker 1 leads at first. */
export async function openReplicated(
  world: World,
  { brokers = 3, minInSyncReplicas = 1, config = {} }: ReplicatedOptions = {},
): Promise<BrokerCluster> {
  const brokerIds = Array.from({ length: brokers }, (_, index) => index + 1);
  const cluster = await openCluster(world, { brokerIds, ...config });
  if (!cluster.hasTopic("orders")) {
    const settings = { min_insync_replicas: minInSyncReplicas };
    cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor: brokers, config: settings });
  }
  return cluster;
}

/** Appends a record with each value, a batch of its own for each. Resolves when the last is acknowledged. */
export async function send(
  cluster: BrokerCluster,
  values: readonly string[],
  acks: Acks = 1,
  place: TopicPartition = ORDERS,
): Promise<void> {
  await Promise.all(values.map((value) => cluster.appendBatch(place, batchOf([value]), { acks })));
}

/** Every value in one replica's log, visible or not. */
export function valuesOn(cluster: BrokerCluster, brokerId: number, place: TopicPartition = ORDERS): string[] {
  const copy = cluster.replicaSet(place).copies.find((each) => each.brokerId === brokerId);
  if (copy === undefined) throw new Error(`no copy on broker ${brokerId}`);
  const { log } = copy;
  const values: string[] = [];
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    for (const record of splitFrames(batches).flatMap((frame) => decodeRecords(frame)))
      values.push(Buffer.from(record.value ?? []).toString());
    offset = nextOffset;
  }
  return values;
}

/** `log end offset / high watermark` of each replica, as it knows them, in the order of placement; "-" for one that is off. */
export function marksOf(cluster: BrokerCluster, place: TopicPartition = ORDERS): string[] {
  return cluster
    .replicaSet(place)
    .copies.map(({ logEndOffset, highWatermark }) =>
      logEndOffset === null ? "-" : `${logEndOffset}/${highWatermark}`,
    );
}

export function inSyncOf(cluster: BrokerCluster, place: TopicPartition = ORDERS): readonly number[] {
  return cluster.replicaSet(place).inSyncReplicas;
}

/** Lets everything run that needs no step and no disk. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
}

/** How a promise stands: "pending", "kept", or the code with which it was refused. */
export async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  let outcome = "pending";
  promise.then(
    () => {
      outcome = "kept";
    },
    (problem: { code?: string }) => {
      outcome = problem.code ?? String(problem);
    },
  );
  await settle();
  return outcome;
}
