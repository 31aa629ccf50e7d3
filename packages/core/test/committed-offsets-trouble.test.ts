import { encodeBatch } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { flipped, rewrite } from "./log-world.ts";
import { commit, committed, OFFSETS_TOPIC, openOffsets } from "./offsets-world.ts";
import { memoryWorld, rejection, type World, worldOn } from "./world.ts";

const PLACE = { topic: OFFSETS_TOPIC, partition: 0 };
const LOG = /__consumer_offsets-0\/.*\.log$/;

async function withOneCommit(): Promise<{ world: World; cluster: BrokerCluster }> {
  const world = memoryWorld();
  const cluster = await openOffsets(world);
  await commit(cluster, "billing", "orders:0=5");
  return { world, cluster };
}

/** What the group has after the process was killed, or after a power cut. */
async function afterwards(world: World, mode: "kept" | "lost"): Promise<string[]> {
  const copy = world.disk.clone();
  copy.crash({ mode });
  const cluster = await openOffsets(worldOn(copy));
  const offsets = await committed(cluster, "billing");
  await cluster.close();
  return offsets;
}

/** Appends what no coordinator would write, past what a leader takes from anybody. */
function forge(cluster: BrokerCluster, key: string | null, value: string | null): void {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
  const record = { key: bytes(key), value: bytes(value), timestampMs: 0, headers: [] };
  const { leaderLog, leaderEpoch } = cluster.replicaSet(PLACE);
  leaderLog.append(encodeBatch({ records: [record] }), leaderEpoch);
}

describe("a commit that the disk refuses", () => {
  test("is not visible, neither at once nor by the next one, nor after a restart (full disk)", async () => {
    const { world, cluster } = await withOneCommit();
    const failure = world.disk.fail({ operation: "write", code: "ENOSPC", path: LOG, bytesWritten: 20 });
    expect(await rejection(commit(cluster, "billing", "orders:0=7"))).toMatchObject({
      code: "STORAGE_ERROR",
    });
    expect(failure.hits).toBe(1);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    await commit(cluster, "billing", "orders:1=1");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5", "orders:1=1"]);
    for (const mode of ["kept", "lost"] as const)
      expect(await afterwards(world, mode)).toEqual(["orders:0=5", "orders:1=1"]);
    await cluster.close();
  });

  test("is not visible when its flush failed: the broker takes no more, and shows what was acknowledged", async () => {
    const { world, cluster } = await withOneCommit();
    const failure = world.disk.fail({ operation: "sync", code: "EIO", path: LOG });
    const refused = await rejection(commit(cluster, "billing", "orders:0=7"));
    expect(refused).toMatchObject({ code: "BROKER_FAILED" });
    expect(failure.hits).toBe(1);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    expect(await rejection(commit(cluster, "billing", "orders:0=8"))).toMatchObject({
      code: "BROKER_FAILED",
    });
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    expect(await afterwards(world, "lost")).toEqual(["orders:0=5"]);
    await cluster.crash();
  });

  test("is not visible either when the internal topic could not be made for it; the next one makes it", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world);
    const failure = world.disk.fail({ operation: "makeFolder", code: "ENOSPC" });
    const both = await Promise.all([1, 2].map((n) => rejection(commit(cluster, "billing", `orders:0=${n}`))));
    for (const refused of both) expect(refused).toMatchObject({ code: "STORAGE_ERROR" });
    expect(failure.hits).toBe(1);
    expect(await committed(cluster, "billing")).toEqual([]);
    await commit(cluster, "billing", "orders:0=3");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=3"]);
    await cluster.close();
  });

  test("is refused before the append, and after it: then its fate is open until the next one is acknowledged", async () => {
    const { world, cluster } = await withOneCommit();
    const before = world.faults.arm({ point: "coordinator.write.before_append", action: "error" });
    expect(await rejection(commit(cluster, "billing", "orders:0=6"))).toMatchObject({
      code: "STORAGE_ERROR",
    });
    expect(before.hits).toBe(1);
    expect(cluster.describeOffsets(PLACE).logEndOffset).toBe(1);
    const after = world.faults.arm({ point: "coordinator.write.after_append", action: "error" });
    expect(await rejection(commit(cluster, "billing", "orders:0=7"))).toMatchObject({
      code: "STORAGE_ERROR",
    });
    expect(after.hits).toBe(1);
    await commit(cluster, "shipping", "orders:0=1");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=7"]);
    await cluster.close();
  });
});

describe("a log of committed offsets that cannot be loaded", () => {
  test("is refused by name, and loaded once the disk reads again", async () => {
    const { world, cluster } = await withOneCommit();
    await cluster.close();
    const again = await openOffsets(world);
    const fault = world.faults.arm({
      point: "coordinator.load.before_read",
      action: "error",
      times: "always",
    });
    expect(await rejection(committed(again, "billing"))).toMatchObject({ code: "STORAGE_ERROR" });
    expect(await rejection(commit(again, "billing", "orders:0=6"))).toMatchObject({ code: "STORAGE_ERROR" });
    expect(fault.hits).toBe(2);
    world.faults.disarm();
    expect(await committed(again, "billing")).toEqual(["orders:0=5"]);
    await again.close();
  });

  test("names file and position of damaged bytes, and serves nothing of what it read before", async () => {
    const { world, cluster } = await withOneCommit();
    await commit(cluster, "billing", "orders:0=6");
    await cluster.close();
    const [path = ""] = [...world.disk.files().keys()].filter((each) => LOG.test(each));
    rewrite(world.disk, path, (bytes) => flipped(bytes, bytes.length - 1, 0));
    const again = await openOffsets(world);
    expect(await rejection(committed(again, "billing"))).toMatchObject({
      code: "STORAGE_ERROR",
      details: { file: path },
    });
    await again.close();
  });

  test("names the partition, the offset and what is wrong of a record that nobody of ours wrote", async () => {
    const offsetKey = JSON.stringify({ kind: "offset", group_id: "billing", topic: "orders", partition: 0 });
    const value = { version: 1, offset: 1, metadata: null, committed_ms: 1, topic_id: "x" };
    const forgeries: [string | null, string | null, string][] = [
      [null, "{}", "it has no key"],
      ["{", "{}", "its key is not JSON"],
      ["[]", "{}", "its key is not a JSON object"],
      ["{}", "{}", "its key names no kind"],
      ['{"kind":"ballot"}', "{}", 'it is of the kind "ballot"; expected'],
      ['{"kind":"toString"}', "{}", 'it is of the kind "toString"; expected'],
      [offsetKey, "7", "its value is not a JSON object"],
      [offsetKey, "{}", "its version is undefined; expected 1"],
      [offsetKey, JSON.stringify({ ...value, version: 2 }), "its version is 2; expected 1"],
      [offsetKey, JSON.stringify({ ...value, offset: 0.5 }), "offset is 0.5; expected a whole number"],
      [
        offsetKey,
        JSON.stringify({ ...value, committed_ms: "now" }),
        'committed_ms is "now"; expected a whole',
      ],
      [offsetKey, JSON.stringify({ ...value, topic_id: null }), "topic_id is null; expected text"],
      [offsetKey, JSON.stringify({ ...value, metadata: 3 }), "metadata is 3; expected text"],
      ['{"kind":"offset","topic":"orders","partition":0}', null, "group_id is undefined; expected text"],
    ];
    for (const [key, forged, problem] of forgeries) {
      const { world, cluster } = await withOneCommit();
      forge(cluster, key, forged);
      await cluster.close();
      const again = await openOffsets(world);
      const refused = await rejection(committed(again, "billing"));
      expect(refused).toMatchObject({ code: "STORAGE_ERROR", details: { ...PLACE, offset: 1 } });
      expect(String(refused)).toContain(
        `the record at offset 1 of __consumer_offsets-0 cannot be understood: ${problem}`,
      );
      expect(await rejection(commit(again, "billing", "orders:0=6"))).toMatchObject({
        code: "STORAGE_ERROR",
      });
      await again.close();
    }
  });

  test("stops no other partition of the internal topic", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world, { offsetsTopicPartitions: 2 });
    // "a" and "b" hash to neighbours.
    await commit(cluster, "a", "orders:0=1");
    await commit(cluster, "b", "orders:0=2");
    forge(cluster, null, null);
    await cluster.close();
    const again = await openOffsets(world);
    const answers = await Promise.allSettled(["a", "b"].map((group) => committed(again, group)));
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await again.close();
  });
});
