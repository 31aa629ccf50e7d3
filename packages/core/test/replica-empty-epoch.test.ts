/**
 * Leaders that were promoted and wrote nothing: their logs end in batches of an earlier epoch than a folder that is put back, whose
 * batches such a leader has made everybody cut. The later epoch of a batch is no proof.
 */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { valuesOf } from "./cluster-world.ts";
import { copyOfBroker, type FolderCopy } from "./folder-copy.ts";
import { copied, openScene, putBack, rounds, type Scene, WAYS } from "./older-copy-world.ts";
import { inSyncOf, ORDERS, send, valuesOn } from "./replica-world.ts";

/** With as many cut records, and whether the notes and the empty epoch reached a disk before the end. */
const KINDS = WAYS.flatMap((way) =>
  [1, 3].flatMap((cut) => [true, false].map((isFlushed) => [way, cut, isFlushed] as const)),
);

/**
 * Broker 1 has written in epoch 0 what nobody had copied when broker 2 was promoted, which wrote other records in epoch 1, and broker 1
 * leads again in epoch 2, in which it writes nothing. Everybody holds and sees the record of epoch 0; the copy is broker 2's of epoch 1.
 */
async function withCut(scene: Scene, records: number): Promise<FolderCopy> {
  const { cluster } = scene;
  await send(cluster, ["truth"]);
  await cluster.promote(ORDERS, 2);
  await send(
    cluster,
    Array.from({ length: records }, (_, index) => `cut${index}`),
  );
  const copy = await copied(scene, 2);
  await cluster.startBroker(2);
  await cluster.promote(ORDERS, 1);
  await rounds(cluster);
  expectTruth(cluster);
  return copy;
}

function expectTruth(cluster: BrokerCluster): void {
  for (const brokerId of [1, 2, 3]) expect(valuesOn(cluster, brokerId)).toEqual(["truth"]);
  expect([valuesOf(cluster, ORDERS), inSyncOf(cluster)]).toEqual([["truth"], [1, 2, 3]]);
}

async function expectHealed(cluster: BrokerCluster): Promise<void> {
  await rounds(cluster);
  expectTruth(cluster);
}

test.each(KINDS)(
  "%s: a follower that is put back with %i records that were cut is out of sync, and the leader leads on (flushed: %s)",
  async (way, cut, isFlushed) => {
    const scene = await openScene("kafka");
    const copy = await withCut(scene, cut);
    if (isFlushed) await scene.cluster.steps.flushLogs();
    const cluster = await putBack(scene, new Map([[2, copy]]), way);
    expect(cluster.replicaSet(ORDERS).leaderId).toBe(1);
    expect(inSyncOf(cluster)).toEqual([1, 3]);
    expect(valuesOf(cluster, ORDERS)).toEqual(["truth"]);
    await expectHealed(cluster);
  },
);

test.each(KINDS)(
  "%s: a leader that is put back with %i of them leads no more, and those stay in sync that had cut them (flushed: %s)",
  async (way, cut, isFlushed) => {
    const scene = await openScene("kafka");
    const copy = await withCut(scene, cut);
    await scene.cluster.promote(ORDERS, 2);
    await rounds(scene.cluster);
    if (isFlushed) await scene.cluster.steps.flushLogs();
    const cluster = await putBack(scene, new Map([[2, copy]]), way);
    expect(cluster.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [1, 3] });
    await cluster.promote(ORDERS, 3);
    await expectHealed(cluster);
  },
);

test.each(KINDS)(
  "%s: a leader leads on whose followers are put back, one of them with %i of them (flushed: %s)",
  async (way, cut, isFlushed) => {
    const scene = await openScene("kafka");
    const { cluster: before } = scene;
    const ghosts = await withCut(scene, cut);
    const old = await copied(scene, 1);
    await before.startBroker(1);
    await before.promote(ORDERS, 3);
    await rounds(before);
    if (isFlushed) await before.steps.flushLogs();
    const copies = new Map([
      [2, ghosts],
      [1, old],
    ]);
    const cluster = await putBack(scene, copies, way);
    expect(cluster.replicaSet(ORDERS).leaderId).toBe(3);
    expect(inSyncOf(cluster)).not.toContain(2);
    expect(valuesOf(cluster, ORDERS)).toEqual(["truth"]);
    await expectHealed(cluster);
  },
);

test("a leader with a copy of the life that was killed, which nothing marks, does not know that it leads: its log proves no empty epoch", async () => {
  const scene = await openScene("kafka");
  const { cluster, world } = scene;
  const sent = async (value: string) => {
    const acknowledged = send(cluster, [value], "all");
    await rounds(cluster);
    await acknowledged;
  };
  await sent("truth");
  await send(cluster, ["cut"]);
  const copy = copyOfBroker(world.disk, 1);
  await cluster.promote(ORDERS, 2);
  await rounds(cluster);
  await sent("paid");
  await cluster.promote(ORDERS, 1);
  await rounds(cluster);
  await cluster.steps.flushLogs();
  const reopened = await putBack(scene, new Map([[1, copy]]), "killed");
  expect(reopened.replicaSet(ORDERS).state).toMatchObject({ leaderId: null, inSyncReplicas: [2, 3] });
  await reopened.promote(ORDERS, 2);
  await rounds(reopened);
  for (const brokerId of [1, 2, 3]) expect(valuesOn(reopened, brokerId)).toEqual(["truth", "paid"]);
});
