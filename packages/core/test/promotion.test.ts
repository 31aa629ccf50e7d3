/** Leadership that moves: what the new leader keeps, what old leaders give up, and what the dials lose. */
import { splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import { ORIGINAL_DIALS } from "../src/cluster/config.ts";
import { batchOf, valuesOf } from "./cluster-world.ts";
import { inSyncOf, marksOf, ORDERS, openReplicated, outcomeOf, send, valuesOn } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

const ORIGINAL: Partial<ClusterConfig> = ORIGINAL_DIALS;
const NOTHING = Buffer.alloc(0);

test("acks=1 acknowledged and lost on promotion: offset 0, high watermark 0, nothing after the failover", async () => {
  for (const config of [ORIGINAL, {}]) {
    const cluster = await openReplicated(memoryWorld(), { brokers: 2, config });
    await send(cluster, ["acknowledged"]);
    expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 1, visibleEnd: 0 });
    await cluster.stopBroker(1);
    expect(await cluster.promote(ORDERS, 2)).toEqual({
      leaderId: 2,
      leaderEpoch: 1,
      leaderEpochStartOffset: 0,
      inSyncReplicas: [2],
    });
    expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 0, visibleEnd: 0 });
    expect(valuesOf(cluster, ORDERS)).toEqual([]);
  }
});

test("an old leader's tail is cut when it rejoins, under either rule", async () => {
  for (const config of [ORIGINAL, {}]) {
    const world = memoryWorld();
    const cluster = await openReplicated(world, { brokers: 2, config });
    await send(cluster, ["common"]);
    await cluster.replicateOnce();
    await send(cluster, ["tail"]);
    await cluster.promote(ORDERS, 2);
    await send(cluster, ["new"]);
    expect([valuesOn(cluster, 1), valuesOn(cluster, 2)]).toEqual([
      ["common", "tail"],
      ["common", "new"],
    ]);
    expect(await cluster.rejoin(ORDERS, 1)).toMatchObject({
      truncatedTo: 1,
      batches: 1,
      inSyncReplicas: [1, 2],
    });
    expect(valuesOn(cluster, 1)).toEqual(["common", "new"]);
    expect(world.events.of("reconciled")).toMatchObject([
      { brokerId: 1, leaderId: 2, leaderEpoch: 1, fromOffset: 2, logEndOffset: 1 },
    ]);
  }
});

test("acks=all survives the promotion, under either rule", async () => {
  for (const config of [ORIGINAL, {}]) {
    const cluster = await openReplicated(memoryWorld(), { brokers: 2, config });
    const sent = send(cluster, ["acknowledged"], "all");
    await cluster.replicateOnce();
    await sent;
    await cluster.promote(ORDERS, 2);
    expect(valuesOf(cluster, ORDERS)).toEqual(["acknowledged"]);
  }
});

test("what every in-sync replica held survives a promotion before it was visible; under the dial it is lost", async () => {
  for (const [config, expected] of [
    [{}, ["a", "held by all"]],
    [{ reconciliation: "high-watermark" }, ["a"]],
  ] as const) {
    const cluster = await openReplicated(memoryWorld(), { minInSyncReplicas: 3, config });
    await send(cluster, ["a"]);
    await cluster.replicateOnce();
    cluster.removeFromIsr(ORDERS, 3);
    await send(cluster, ["held by all"]);
    await cluster.replicateOnce();
    expect([marksOf(cluster), inSyncOf(cluster)]).toEqual([
      ["2/1", "2/1", "2/1"],
      [1, 2],
    ]);
    await cluster.promote(ORDERS, 2);
    await cluster.rejoin(ORDERS, 3);
    await cluster.replicateOnce();
    await cluster.replicateOnce();
    expect(valuesOf(cluster, ORDERS)).toEqual(expected);
    for (const brokerId of [1, 2, 3]) expect(valuesOn(cluster, brokerId)).toEqual(expected);
  }
});

test("what was visible stays visible through a promotion, and moves on once the others have fetched", async () => {
  const cluster = await openReplicated(memoryWorld());
  await send(cluster, ["a", "b"]);
  await cluster.replicateOnce();
  expect(marksOf(cluster)).toEqual(["2/2", "2/0", "2/0"]);
  await cluster.promote(ORDERS, 3);
  expect(marksOf(cluster)).toEqual(["2/2", "2/0", "2/2"]);
  await send(cluster, ["c"]);
  await cluster.replicateOnce({ brokerId: 1 });
  expect(cluster.visibleEnd(ORDERS)).toBe(2);
  await cluster.replicateOnce({ brokerId: 2 });
  expect([cluster.visibleEnd(ORDERS), valuesOf(cluster, ORDERS)]).toEqual([3, ["a", "b", "c"]]);
});

test("whoever waits for the old leader, or names its epoch, is fenced", async () => {
  const cluster = await openReplicated(memoryWorld());
  const sent = send(cluster, ["a"], "all");
  const fenced = expect(sent).rejects.toMatchObject({
    code: "FENCED_LEADER_EPOCH",
    details: { leader_epoch: 1, appended: true },
  });
  await cluster.promote(ORDERS, 2);
  await fenced;
  const set = cluster.replicaSet(ORDERS);
  const append = (leaderEpoch: number) => () => set.append(Buffer.alloc(0), { acks: 1, leaderEpoch });
  const refused = { code: "FENCED_LEADER_EPOCH", details: { requested: 0, leader_epoch: 1 } };
  expect(append(0)).toThrow(expect.objectContaining(refused));
  expect(append(1)).toThrow(expect.objectContaining({ code: "CORRUPT_BATCH" }));
});

test("who waits for an acknowledgement is told that the batch was appended, whatever ends the wait", async () => {
  const ends = {
    LEADER_NOT_AVAILABLE: (cluster: BrokerCluster) => cluster.stopBroker(1),
    FENCED_LEADER_EPOCH: (cluster: BrokerCluster) => cluster.promote(ORDERS, 2),
    SHUTTING_DOWN: (cluster: BrokerCluster) => cluster.close(),
  } as const;
  for (const [code, end] of Object.entries(ends)) {
    const cluster = await openReplicated(memoryWorld());
    const told = expect(send(cluster, ["a"], "all")).rejects.toMatchObject({
      code,
      details: { appended: true },
    });
    await end(cluster);
    await told;
  }
});

test("only a replica that is in sync is promoted; another one only when its loss is said to be meant", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  cluster.removeFromIsr(ORDERS, 3);
  await send(cluster, ["a", "b"]);
  await cluster.replicateOnce({ brokerId: 2 });
  await expect(cluster.promote(ORDERS, 3)).rejects.toMatchObject({
    code: "NOT_IN_SYNC_REPLICA",
    message: expect.stringContaining("(in sync: 1, 2)"),
  });
  await expect(cluster.promote(ORDERS, 9)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await cluster.stopBroker(2);
  await expect(cluster.promote(ORDERS, 2)).rejects.toMatchObject({ code: "BROKER_NOT_AVAILABLE" });
  expect(cluster.replicaSet(ORDERS).leaderEpoch).toBe(0);
  world.events.clear();
  expect(await cluster.promote(ORDERS, 3, { unclean: true })).toMatchObject({
    leaderId: 3,
    inSyncReplicas: [3],
  });
  expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 0, visibleEnd: 0 });
  expect(world.events.of("high_watermark_moved")).toMatchObject([{ brokerId: 3, from: 2, to: 0 }]);
  await send(cluster, ["c"]);
  await cluster.startBroker(2);
  await cluster.replicateOnce();
  for (const brokerId of [1, 2, 3]) expect(valuesOn(cluster, brokerId)).toEqual(["c"]);
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
});

test("a batch that the high watermark cuts through, as after unclean promotions, is shown only once all of it is visible", async () => {
  const cluster = await openReplicated(memoryWorld(), { minInSyncReplicas: 2 });
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  for (const brokerId of [2, 3]) cluster.removeFromIsr(ORDERS, brokerId);
  await cluster.appendBatch(ORDERS, batchOf(["b", "c"]), { acks: 1 });
  await cluster.promote(ORDERS, 2, { unclean: true });
  await cluster.rejoin(ORDERS, 3);
  await send(cluster, ["x"]);
  await cluster.replicateOnce({ brokerId: 3 });
  expect([cluster.visibleEnd(ORDERS), valuesOf(cluster, ORDERS)]).toEqual([2, ["a", "x"]]);
  await cluster.promote(ORDERS, 1, { unclean: true });
  expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 3, visibleEnd: 2 });
  for (const isolation of ["read_uncommitted", "read_committed"] as const) {
    const fetch = (offset: number) => cluster.fetch(ORDERS, offset, { bytesMax: 1 << 20, isolation });
    expect(splitFrames(fetch(0).batches)).toHaveLength(1);
    for (const offset of [0, 1]) expect(fetch(offset).nextOffset).toBe(1);
    for (const offset of [1, 2])
      expect(fetch(offset)).toMatchObject({ batches: NOTHING, nextOffset: offset });
  }
  await cluster.rejoin(ORDERS, 2);
  await cluster.replicateOnce({ brokerId: 2 });
  expect([cluster.visibleEnd(ORDERS), valuesOf(cluster, ORDERS)]).toEqual([3, ["a", "b", "c"]]);
});

test("one that is promoted out of sync shows what it knows to have been visible, and of the rest no more than before", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { minInSyncReplicas: 2 });
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  cluster.removeFromIsr(ORDERS, 2);
  await send(cluster, ["b", "c"]);
  await cluster.replicateOnce({ brokerId: 3 });
  await cluster.replicateOnce({ brokerId: 3 });
  await send(cluster, ["d"]);
  await cluster.replicateOnce({ brokerId: 3 });
  cluster.removeFromIsr(ORDERS, 3);
  await send(cluster, ["e"]);
  expect(marksOf(cluster)).toEqual(["5/4", "1/0", "4/3"]);
  await cluster.promote(ORDERS, 2, { unclean: true });
  expect(cluster.describeOffsets(ORDERS)).toEqual({ logEndOffset: 1, visibleEnd: 1 });
  world.events.clear();
  await cluster.promote(ORDERS, 3, { unclean: true });
  expect([cluster.visibleEnd(ORDERS), valuesOf(cluster, ORDERS)]).toEqual([3, ["a", "b", "c"]]);
  expect(world.events.of("high_watermark_moved")).toMatchObject([{ brokerId: 3, from: 1, to: 3 }]);
});

test("an unclean leader and those who followed it are believed after a restart, whatever they once had noted", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world, { brokers: 2 });
  await send(cluster, ["a", "b", "c"]);
  await cluster.replicateOnce();
  await cluster.replicateOnce();
  await cluster.steps.flushLogs();
  cluster.removeFromIsr(ORDERS, 2);
  await send(cluster, ["d"]);
  await cluster.stopBroker(1);
  await cluster.promote(ORDERS, 2, { unclean: true });
  await send(cluster, ["e"]);
  await cluster.startBroker(1);
  await cluster.replicateOnce();
  expect([valuesOn(cluster, 1), inSyncOf(cluster)]).toEqual([
    ["a", "b", "c", "e"],
    [1, 2],
  ]);
  await cluster.crash();
  world.disk.crash({ mode: "kept" });
  const restarted = await openReplicated(world, { brokers: 2 });
  expect([restarted.replicaSet(ORDERS).leaderId, valuesOf(restarted, ORDERS)]).toEqual([
    2,
    ["a", "b", "c", "e"],
  ]);
});

test("a promotion is in the metadata before it is answered; when the disk refuses, nothing has changed", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  const sent = send(cluster, ["a"], "all");
  const fault = world.faults.arm({ point: "metadata.before_rename", action: "error" });
  await expect(cluster.promote(ORDERS, 2)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  expect([fault.hits, cluster.replicaSet(ORDERS).leaderId, await outcomeOf(sent)]).toEqual([1, 1, "pending"]);
  const refused = expect(sent).rejects.toMatchObject({ code: "FENCED_LEADER_EPOCH" });
  await cluster.promote(ORDERS, 2);
  await refused;
  await cluster.crash();
  world.disk.crash({ mode: "lost" });
  const restarted = await openReplicated(world);
  const { leaderId, leaderEpoch } = restarted.replicaSet(ORDERS);
  expect([leaderId, leaderEpoch]).toEqual([2, 2]);
});

test("when nobody knows whether the metadata was replaced, no broker takes a write, and nothing is decided any more", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  world.faults.arm({ point: "metadata.after_rename", action: "error" });
  await expect(cluster.promote(ORDERS, 2)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  await expect(send(cluster, ["a"])).rejects.toMatchObject({ code: "BROKER_FAILED" });
  await expect(cluster.promote(ORDERS, 3)).rejects.toMatchObject({ code: "BROKER_FAILED" });
  // Nor does one that is started anew in the same process.
  await cluster.stopBroker(3);
  await expect(cluster.startBroker(3)).rejects.toMatchObject({ code: "BROKER_FAILED" });
  expect(cluster.describeCluster().brokers.map(({ state }) => state)).toEqual(["failed", "failed", "failed"]);
});

test("nor does a broker that was stopped when that happened, and starts since", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  await cluster.stopBroker(3);
  world.faults.arm({ point: "metadata.after_rename", action: "error" });
  await expect(cluster.promote(ORDERS, 2)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  await expect(cluster.startBroker(3)).rejects.toMatchObject({ code: "BROKER_FAILED" });
  expect(cluster.describeCluster().brokers.map(({ state }) => state)).toEqual(["failed", "failed", "failed"]);
});

test("who is put out of sync by a change of which nobody knows whether it lasts is waited for all the same: nothing is acknowledged or seen without him", async () => {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  const sent = send(cluster, ["a"], "all");
  cluster.removeFromIsr(ORDERS, 2);
  world.faults.arm({ point: "metadata.after_rename", action: "error" });
  expect(() => cluster.removeFromIsr(ORDERS, 3)).toThrow(expect.objectContaining({ code: "STORAGE_ERROR" }));
  expect([await outcomeOf(sent), cluster.visibleEnd(ORDERS)]).toEqual(["pending", 0]);
  // A power cut takes the change back.
  await cluster.crash();
  world.disk.crash({ mode: "lost" });
  await sent.catch(() => {});
});

test("promoting the leader changes nothing", async () => {
  const cluster = await openReplicated(memoryWorld());
  expect(await cluster.promote(ORDERS, 1)).toMatchObject({ leaderId: 1, leaderEpoch: 0 });
});

test("a crash at any instant of a promotion leaves the old leader or the new one, under a higher epoch, and all that was acknowledged", async () => {
  for (const reconciliation of ["leader-epoch", "high-watermark"] as const) {
    for (let change = 0; ; change++) {
      const world = memoryWorld();
      const cluster = await openReplicated(world, { config: { reconciliation } });
      const sent = send(cluster, ["acknowledged"], "all");
      await cluster.replicateOnce();
      await sent;
      await send(cluster, ["tail"]);
      await cluster.replicateOnce({ brokerId: 2 });
      let seen = 0;
      const clones: (typeof world.disk)[] = [];
      const end = world.disk.beforeChange(() => {
        if (seen++ === change) clones.push(world.disk.clone());
      });
      await cluster.promote(ORDERS, 2);
      end();
      const [disk] = clones;
      if (disk === undefined) break;
      for (const mode of ["kept", "lost"] as const) {
        const after = { ...memoryWorld(), disk: disk.clone() };
        after.disk.crash({ mode });
        const restarted = await openReplicated(after, { config: { reconciliation } });
        const { leaderId, leaderEpoch } = restarted.replicaSet(ORDERS);
        expect([1, 2]).toContain(leaderId);
        expect(leaderEpoch).toBeGreaterThan(leaderId === 2 ? 1 : 0);
        expect(valuesOf(restarted, ORDERS)[0]).toBe("acknowledged");
      }
    }
  }
});
