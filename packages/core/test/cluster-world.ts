/** A cluster in a test world, and records in and out of it as text. */
import { decodeRecords, encodeBatch, splitFrames } from "@minikafka/record";
import { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import type { Env } from "../src/env/env.ts";
import type { Acks } from "../src/replica/acknowledgement.ts";
import type { AppendResult } from "../src/replica/append-options.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";

export const FOLDER = "/srv/data";

export function openCluster(env: Env, config: Partial<ClusterConfig> = {}): Promise<BrokerCluster> {
  return BrokerCluster.open({ dataFolder: FOLDER, ...config }, env);
}

/** One batch with a record for each value, without keys. */
export function batchOf(values: readonly string[], timestampMs = 0): Buffer {
  const records = values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs, headers: [] }));
  return encodeBatch({ records });
}

export function append(
  cluster: BrokerCluster,
  place: TopicPartition,
  value: string,
  acks: Acks = 1,
): Promise<AppendResult> {
  return cluster.appendBatch(place, batchOf([value]), { acks });
}

/** Every visible value of a partition, in order, read as a consumer does. */
export function valuesOf(cluster: BrokerCluster, place: TopicPartition): string[] {
  const values: string[] = [];
  let offset = cluster.listOffsets(place, -2).offset ?? 0;
  while (offset < cluster.visibleEnd(place)) {
    const fetched = cluster.fetch(place, offset, { bytesMax: 1 << 20 });
    for (const record of splitFrames(fetched.batches).flatMap(decodeRecords)) {
      if (record.offset >= offset) values.push(Buffer.from(record.value ?? []).toString());
    }
    offset = fetched.nextOffset;
  }
  return values;
}
