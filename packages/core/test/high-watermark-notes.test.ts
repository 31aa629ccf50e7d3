/** What brokers note of high watermarks when their disks refuse. */
import { expect, test } from "vitest";
import { inSyncOf, ORDERS, openReplicated, send } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

const NOTES = /replication-offset-checkpoint/;

/** A cluster in which everybody has noted 1, and in which 3 is visible now. */
async function withOlderNotes() {
  const world = memoryWorld();
  const cluster = await openReplicated(world);
  for (const values of [["a"], ["b", "c"]]) {
    const sent = send(cluster, values, "all");
    await cluster.replicateOnce();
    await sent;
    await cluster.replicateOnce();
    if (values.length === 1) await cluster.steps.flushLogs();
  }
  return { world, cluster };
}

test("a note that the disk refused is tried again at the close: the high watermark is where it was", async () => {
  for (const operation of ["write", "sync", "rename"] as const) {
    const { world, cluster } = await withOlderNotes();
    const failure = world.disk.fail({ operation, code: "EIO", path: NOTES, times: "always" });
    await expect(cluster.steps.flushLogs()).rejects.toMatchObject({ code: "STORAGE_ERROR" });
    expect(failure.hits).toBeGreaterThan(0);
    world.disk.stopFailing();
    await cluster.close();
    const reopened = await openReplicated(world);
    expect(reopened.visibleEnd(ORDERS)).toBe(3);
  }
});

test("a broker whose notes are refused to the end did not end cleanly, and nothing visible is hidden by that", async () => {
  const { world, cluster } = await withOlderNotes();
  world.disk.fail({ operation: "rename", code: "EIO", path: NOTES, times: "always" });
  await expect(cluster.steps.flushLogs()).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  await expect(cluster.close()).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  world.disk.stopFailing();
  const reopened = await openReplicated(world);
  expect(reopened.visibleEnd(ORDERS)).toBe(3);
  expect(reopened.replicaSet(ORDERS)).toMatchObject({ leaderEpoch: 1, inSyncReplicas: [1, 2, 3] });
});

test("a log is cut only when the file says so, also when a later note was refused", async () => {
  const { world, cluster } = await withOlderNotes();
  cluster.removeFromIsr(ORDERS, 3);
  await cluster.steps.flushLogs();
  await send(cluster, ["tail"]);
  const refused = world.disk.fail({ operation: "rename", code: "EIO", path: /broker-1.replication-offset/ });
  await cluster.replicateOnce({ brokerId: 2 });
  await expect(cluster.steps.flushLogs()).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  expect(refused.hits).toBe(1);
  await cluster.promote(ORDERS, 3, { unclean: true });
  await send(cluster, ["other"]);
  const again = world.disk.fail({ operation: "rename", code: "EIO", path: /broker-1.replication-offset/ });
  expect(await cluster.replicateOnce({ brokerId: 1 })).toMatchObject([{ brokerId: 1, truncatedTo: null }]);
  expect(again.hits).toBe(1);
  expect(await cluster.replicateOnce({ brokerId: 1 })).toMatchObject([{ truncatedTo: 3, problem: null }]);
});

test("a note that is taken while a log is being cut says nothing of what goes, at whatever turn: all go on after a crash", async () => {
  for (let turns = 0; turns <= 60; turns += 4) {
    const { world, cluster } = await withOlderNotes();
    cluster.removeFromIsr(ORDERS, 3);
    await send(cluster, ["seen by 1 and 2"]);
    for (let round = 0; round < 2; round++) await cluster.replicateOnce({ brokerId: 2 });
    await cluster.promote(ORDERS, 3, { unclean: true });
    const noted = cluster.steps.flushLogs();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const cut = await Promise.all([1, 2].map((brokerId) => cluster.replicateOnce({ brokerId })));
    expect(cut).toMatchObject([[{ truncatedTo: 3 }], [{ truncatedTo: 3 }]]);
    await noted;
    cluster.refreshIsr();
    expect(inSyncOf(cluster)).toEqual([1, 2, 3]);
    await cluster.crash();
    const reopened = await openReplicated(world);
    const { leaderId, inSyncReplicas } = reopened.describePartition(ORDERS);
    expect([turns, leaderId, inSyncReplicas]).toEqual([turns, 3, [1, 2, 3]]);
    await reopened.close();
  }
});
