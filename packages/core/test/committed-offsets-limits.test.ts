import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { frameOf } from "../src/coordinator/coordinator-record.ts";
import { LIMITS } from "../src/limits.ts";
import { type OffsetPlace, offsetRecord } from "../src/offsets/offset-record.ts";
import { commit, committed, OFFSETS_TOPIC, openOffsets } from "./offsets-world.ts";
import { memoryWorld, rejection } from "./world.ts";

const { offsetsPerGroupMax, groupsPerPartitionMax } = LIMITS;

/** So many offsets, written past the checks, as if the bounds had been higher. */
function store(cluster: BrokerCluster, count: number, placeOf: (number: number) => OffsetPlace): void {
  const { topicId } = cluster.describeTopic("orders");
  const stored = { offset: 1, metadata: null, committedMs: 1, topicId };
  for (let start = 0; start < count; start += 5_000) {
    const length = Math.min(5_000, count - start);
    const records = Array.from({ length }, (_, index) => offsetRecord({ ...placeOf(start + index), stored }));
    cluster.replicaSet({ topic: OFFSETS_TOPIC, partition: 0 }).append(frameOf(records, 1), { acks: 1 });
  }
}

test("one offset too many for a group, and one group too many for a partition, are refused; what is there may change", async () => {
  const world = memoryWorld();
  let cluster = await openOffsets(world);
  await commit(cluster, "billing", "orders:0=3");
  store(cluster, offsetsPerGroupMax - 2, (number) => ({
    groupId: "billing",
    topic: "old",
    partition: number,
  }));
  store(cluster, groupsPerPartitionMax - 2, (number) => ({
    groupId: `g${number}`,
    topic: "orders",
    partition: 0,
  }));
  await cluster.close();
  cluster = await openOffsets(world);
  await commit(cluster, "billing", "orders:0=4", "orders:1=4");
  expect(await rejection(commit(cluster, "billing", "orders:0=5", "orders:2=5"))).toMatchObject({
    code: "INVALID_REQUEST",
    details: { offsets: offsetsPerGroupMax + 1, offsets_max: offsetsPerGroupMax },
  });
  await commit(cluster, "shipping", "orders:0=1");
  expect(await rejection(commit(cluster, "one more", "orders:0=1"))).toMatchObject({
    code: "INVALID_REQUEST",
    details: { groups: groupsPerPartitionMax, groups_max: groupsPerPartitionMax },
  });
  await commit(cluster, "billing", "orders:0=6");
  expect((await committed(cluster, "billing")).slice(0, 2)).toEqual(["orders:0=6", "orders:1=4"]);
  await cluster.close();
}, 60_000);
