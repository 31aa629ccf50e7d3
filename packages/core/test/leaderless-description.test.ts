/** What is told of a partition that nobody leads. */
import { expect, test } from "vitest";
import { ORDERS, openReplicated, send } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

async function withTwoRecords(world = memoryWorld()) {
  const cluster = await openReplicated(world);
  await send(cluster, ["a", "b"]);
  for (let round = 0; round < 2; round++) await cluster.replicateOnce();
  await send(cluster, ["only the leader has this"]);
  return cluster;
}

test("a partition whose leader is stopped is described by the first replica in sync that can be read", async () => {
  const cluster = await withTwoRecords();
  expect(cluster.describePartition(ORDERS)).toMatchObject({ leaderId: 1, logEndOffset: 3, highWatermark: 2 });
  await cluster.stopBroker(1);
  expect(cluster.describePartition(ORDERS)).toMatchObject({
    leaderId: null,
    leaderEpoch: 0,
    logStartOffset: 0,
    logEndOffset: 2,
    highWatermark: 2,
    inSyncReplicas: [1, 2, 3],
    replicas: [
      {
        brokerId: 1,
        isOnline: false,
        logEndOffset: null,
        highWatermark: null,
        problem: "broker 1 is stopped",
      },
      { brokerId: 2, isOnline: true, logEndOffset: 2, highWatermark: 2, problem: null },
      { brokerId: 3, isOnline: true, logEndOffset: 2, highWatermark: 2, problem: null },
    ],
    segments: [{ baseOffset: 0, nextOffset: 2 }],
  });
  expect(cluster.metadata("orders").partitions).toMatchObject([{ leaderId: null, leaderEpoch: 0 }]);
});

test("when no replica in sync can be read, offsets are null and who is there is told all the same", async () => {
  const cluster = await withTwoRecords();
  cluster.removeFromIsr(ORDERS, 3);
  for (const brokerId of [1, 2]) await cluster.stopBroker(brokerId);
  expect(cluster.describePartition(ORDERS)).toEqual({
    ...ORDERS,
    leaderId: null,
    leaderEpoch: 0,
    logStartOffset: null,
    logEndOffset: null,
    highWatermark: null,
    lastStableOffset: null,
    inSyncReplicas: [1, 2],
    replicas: [
      expect.objectContaining({
        brokerId: 1,
        isInSync: true,
        isOnline: false,
        problem: "broker 1 is stopped",
      }),
      expect.objectContaining({
        brokerId: 2,
        isInSync: true,
        isOnline: false,
        problem: "broker 2 is stopped",
      }),
      expect.objectContaining({
        brokerId: 3,
        isInSync: false,
        isOnline: true,
        logEndOffset: 2,
        problem: null,
      }),
    ],
    segments: [],
    producerCount: 0,
    producers: [],
    openTransactions: [],
    epochs: [],
  });
});

test("a copy that went off line while it was open says why", async () => {
  const world = memoryWorld();
  const cluster = await withTwoRecords(world);
  const path = /broker-2\/orders-0/;
  const write = world.disk.fail({ operation: "write", code: "EIO", bytesWritten: 30, path });
  const truncate = world.disk.fail({ operation: "truncate", code: "EIO", path });
  await cluster.replicateOnce();
  write.assertFired();
  truncate.assertFired();
  expect(cluster.describePartition(ORDERS)).toMatchObject({
    leaderId: 1,
    logEndOffset: 3,
    replicas: [
      { isOnline: true, problem: null },
      { isOnline: false, problem: expect.stringMatching(/broker-2\/orders-0 is off line: .* at position/) },
      { isOnline: true, problem: null },
    ],
  });
});
