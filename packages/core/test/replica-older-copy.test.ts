/**
 * A broker's folder that was put back from an older copy which is not shorter than the logs of today, or has a mark of a clean end:
 * lengths and marks say nothing against it, and nobody may lose by it all the same.
 */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { valuesOf } from "./cluster-world.ts";
import { copyAs, type FolderCopy, restoreBroker } from "./folder-copy.ts";
import { CASES, copied, openScene, putBack, rounds, type Scene, WAYS } from "./older-copy-world.ts";
import { inSyncOf, ORDERS, openReplicated, send, valuesOn } from "./replica-world.ts";
import { worldOn } from "./world.ts";

const OLD = ["a0", "a1", "a2"];
const PAID = [...OLD, "paid1", "paid2"];

/** Sends with acks all, and lets every follower hear of it. */
async function sendToAll(cluster: BrokerCluster, values: readonly string[]): Promise<void> {
  const sent = send(cluster, values, "all");
  await rounds(cluster);
  await sent;
}

/** Everybody holds OLD, and broker 1's copy `ghosts` besides, which a promotion of broker 2 has undone since; then PAID. */
async function withGhosts(scene: Scene, ghosts: readonly string[]): Promise<FolderCopy> {
  const { cluster } = scene;
  await sendToAll(cluster, OLD);
  await send(cluster, ghosts);
  const copy = await copied(scene, 1);
  await cluster.promote(ORDERS, 2);
  await cluster.startBroker(1);
  await rounds(cluster);
  await sendToAll(cluster, PAID.slice(OLD.length));
  expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
  return copy;
}

async function expectHealed(cluster: BrokerCluster, values: readonly string[] = PAID): Promise<void> {
  await rounds(cluster);
  for (const brokerId of [1, 2, 3]) expect(valuesOn(cluster, brokerId)).toEqual(values);
  expect([valuesOf(cluster, ORDERS), inSyncOf(cluster)]).toEqual([values, [1, 2, 3]]);
}

test.each(
  CASES.flatMap(([profile, way]) =>
    [
      ["x1", "x2"],
      ["x1", "x2", "x3", "x4"],
    ].map((ghosts) => [profile, way, ghosts] as const),
  ),
)(
  "%s, %s: a follower whose copy ends in %j is out of sync until it has cut that",
  async (profile, way, ghosts) => {
    const scene = await openScene(profile);
    const copy = await withGhosts(scene, ghosts);
    const cluster = await putBack(scene, new Map([[1, copy]]), way);
    expect(cluster.replicaSet(ORDERS).leaderId).toBe(2);
    expect(inSyncOf(cluster)).not.toContain(1);
    await expect(cluster.promote(ORDERS, 1)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
    await expectHealed(cluster);
    await cluster.promote(ORDERS, 1);
    await expectHealed(cluster);
  },
);

test.each(CASES)("%s, %s: so is one whose folder is another broker's older copy", async (profile, way) => {
  const scene = await openScene(profile);
  const copy = await withGhosts(scene, ["x1", "x2"]);
  const cluster = await putBack(scene, new Map([[3, copyAs(copy, 3)]]), way);
  expect(inSyncOf(cluster)).not.toContain(3);
  await expect(cluster.promote(ORDERS, 3)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
  await expectHealed(cluster);
});

test.each(CASES)(
  "%s, %s: a leader whose copy is as long and holds something else leads no more",
  async (profile, way) => {
    const scene = await openScene(profile);
    const copy = await withGhosts(scene, ["x1", "x2"]);
    for (const isWritten of [false, true]) {
      await scene.cluster.promote(ORDERS, 1);
      if (isWritten) await sendToAll(scene.cluster, ["z"]);
    }
    const cluster = await putBack(scene, new Map([[1, copy]]), way);
    expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [2, 3] });
    await expect(send(cluster, ["next"], "all")).rejects.toMatchObject({ code: "LEADER_NOT_AVAILABLE" });
    await expect(cluster.promote(ORDERS, 1)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
    await cluster.promote(ORDERS, 2);
    await expectHealed(cluster, [...PAID, "z"]);
  },
);

test.each(CASES)("%s, %s: so does one that was promoted and wrote nothing since", async (profile, way) => {
  const scene = await openScene(profile);
  const copy = await withGhosts(scene, ["x1", "x2"]);
  await scene.cluster.promote(ORDERS, 1);
  await rounds(scene.cluster);
  const cluster = await putBack(scene, new Map([[1, copy]]), way);
  expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [2, 3] });
  await cluster.promote(ORDERS, 3);
  await expectHealed(cluster);
});

test.each(CASES)(
  "%s, %s: a follower with a shorter copy is out of sync, whether anything was noted or not",
  async (profile, way) => {
    for (const isNoted of [false, true]) {
      const scene = await openScene(profile);
      await sendToAll(scene.cluster, OLD);
      const copy = await copied(scene, 2);
      await scene.cluster.startBroker(2);
      await sendToAll(scene.cluster, PAID.slice(OLD.length));
      if (isNoted) await scene.cluster.steps.flushLogs();
      const cluster = await putBack(scene, new Map([[2, copy]]), way);
      expect(inSyncOf(cluster)).toEqual([1, 3]);
      expect(cluster.visibleEnd(ORDERS)).toBe(PAID.length);
      await expect(cluster.promote(ORDERS, 2)).rejects.toMatchObject({ code: "NOT_IN_SYNC_REPLICA" });
      await expectHealed(cluster);
    }
  },
);

test.each(WAYS)(
  "%s: a copy from before an unclean promotion has what that gave up, and is out of sync",
  async (way) => {
    const scene = await openScene("kafka");
    const { cluster: before } = scene;
    await sendToAll(before, OLD);
    before.removeFromIsr(ORDERS, 3);
    await send(before, ["b1", "b2", "b3"]);
    for (let round = 0; round < 3; round++) await before.replicateOnce({ brokerId: 2 });
    const copy = await copied(scene, 2);
    await before.stopBroker(1);
    await before.promote(ORDERS, 3, { unclean: true });
    for (const brokerId of [1, 2]) await before.startBroker(brokerId);
    await rounds(before);
    await sendToAll(before, PAID.slice(OLD.length));
    const cluster = await putBack(scene, new Map([[2, copy]]), way);
    expect(cluster.visibleEnd(ORDERS)).toBe(PAID.length);
    expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: 3 });
    expect(inSyncOf(cluster)).not.toContain(2);
    await expectHealed(cluster);
  },
);

test.each(CASES)(
  "%s, %s: a leader to which nothing has happened since its copy leads on",
  async (profile, way) => {
    const scene = await openScene(profile);
    await sendToAll(scene.cluster, OLD);
    const copy = await copied(scene, 1);
    await scene.cluster.startBroker(1);
    const cluster = await putBack(scene, new Map([[1, copy]]), way);
    expect(cluster.replicaSet(ORDERS).leaderId).toBe(1);
    await sendToAll(cluster, PAID.slice(OLD.length));
    await expectHealed(cluster);
  },
);

test("when all folders were put back, what their logs say is all that there is", async () => {
  const scene = await openScene("kafka");
  await sendToAll(scene.cluster, OLD);
  const copies: FolderCopy[] = [];
  for (const brokerId of [1, 2, 3]) copies.push(await copied(scene, brokerId));
  for (const brokerId of [1, 2, 3]) await scene.cluster.startBroker(brokerId);
  await sendToAll(scene.cluster, PAID.slice(OLD.length));
  await scene.cluster.close();
  for (const [index, copy] of copies.entries()) restoreBroker(scene.world.disk, index + 1, copy);
  const cluster = await openReplicated(scene.world);
  expect(cluster.replicaSet(ORDERS).leaderId).toBe(1);
  await expectHealed(cluster, OLD);
});

test("whatever instant a start dies at, the folder stays an older copy until its replicas were judged", async () => {
  const scene = await openScene("original");
  const copy = await withGhosts(scene, ["x1", "x2"]);
  await scene.cluster.close();
  const { disk } = scene.world;
  restoreBroker(disk, 1, copy);
  const instants = [disk.clone()];
  disk.beforeChange(() => instants.push(disk.clone()));
  await (await openReplicated(scene.world, { config: scene.config })).crash();
  expect(instants.length).toBeGreaterThan(10);
  for (const [nth, instant] of instants.entries()) {
    instant.crash({ mode: nth % 2 === 0 ? "kept" : "lost" });
    const cluster = await openReplicated(worldOn(instant), { config: scene.config });
    expect(cluster.replicaSet(ORDERS).leaderId, `instant ${nth}`).toBe(2);
    expect(inSyncOf(cluster), `instant ${nth}`).not.toContain(1);
    await cluster.rejoin(ORDERS, 1);
    await cluster.rejoin(ORDERS, 3);
    await expectHealed(cluster);
    await cluster.crash();
  }
});

test("a disk that notes no start keeps nobody from starting, and believes no mark of that life", async () => {
  for (const point of ["broker_epoch.before_write", "metadata.before_write"] as const) {
    const scene = await openScene("kafka");
    await sendToAll(scene.cluster, OLD);
    await scene.cluster.stopBroker(2);
    const fault = scene.world.faults.arm({ point, action: "error" });
    expect(await scene.cluster.startBroker(2)).toEqual({ brokerId: 2, clean: true });
    expect(fault.hits).toBe(1);
    await sendToAll(scene.cluster, PAID.slice(OLD.length));
    await scene.cluster.stopBroker(2);
    expect(await scene.cluster.startBroker(2)).toEqual({ brokerId: 2, clean: false });
    await expectHealed(scene.cluster);
  }
});
