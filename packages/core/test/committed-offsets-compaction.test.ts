import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { commit, committed, OFFSETS_TOPIC, openOffsets } from "./offsets-world.ts";
import { memoryWorld } from "./world.ts";

const noPause = () => Promise.resolve();
const DAY_MS = 24 * 60 * 60 * 1000;

/** So many commits of 500 offsets each, which fill a segment of the internal topic every dozen or so. */
async function commitOften(cluster: BrokerCluster, commits: number): Promise<void> {
  for (let number = 1; number <= commits; number += 1) {
    const offsets = Array.from({ length: 500 }, (_, partition) => `wide:${partition}=${number}`);
    await commit(cluster, "billing", ...offsets);
  }
}

describe("the log of committed offsets", () => {
  test("is compacted by the step that compacts all topics, and loading reads what is left of it, not all history", async () => {
    const world = memoryWorld();
    let cluster = await openOffsets(world);
    cluster.createTopic({ topic: "wide", partitions: 500 });
    await commitOften(cluster, 40);
    const [compacted] = await cluster.steps.compact(noPause);
    expect(compacted?.place.topic).toBe(OFFSETS_TOPIC);
    expect(compacted?.result).toMatchObject({ recordsKept: 500 });
    const { logEndOffset } = cluster.describeOffsets({ topic: OFFSETS_TOPIC, partition: 0 });
    expect(logEndOffset).toBe(20_000);
    await cluster.close();
    cluster = await openOffsets(world);
    const offsets = await committed(cluster, "billing");
    expect(new Set(offsets.map((text) => text.split("=")[1]))).toEqual(new Set(["40"]));
    const [loaded] = world.events.of("coordinator_loaded").slice(-1);
    // The last segment is never compacted: it has a twentieth of a MiB for each commit.
    expect(loaded?.records).toBeLessThan(8_000);
    await cluster.close();
  });

  test("shrinks to what is still there: offsets that were forgotten leave a tombstone for a day, and then nothing", async () => {
    const world = memoryWorld();
    let cluster = await openOffsets(world);
    cluster.createTopic({ topic: "wide", partitions: 500 });
    await commitOften(cluster, 1);
    world.clock.advance(7 * DAY_MS);
    expect(await cluster.groups.expireOffsets()).toHaveLength(500);
    const place = { topic: OFFSETS_TOPIC, partition: 0 };
    for (const expected of [{ recordsKept: 501 }, { recordsKept: 1, tombstonesDropped: 500 }]) {
      await commit(cluster, "shipping", "orders:0=1");
      cluster.steps.rollSegment(place);
      await cluster.steps.flushLogs();
      const [compacted] = await cluster.steps.compact(noPause);
      expect(compacted?.result).toMatchObject(expected);
      world.clock.advance(2 * DAY_MS);
    }
    await cluster.close();
    cluster = await openOffsets(world);
    expect(await committed(cluster, "billing")).toEqual([]);
    expect(await committed(cluster, "shipping")).toEqual(["orders:0=1"]);
    expect(world.events.of("coordinator_loaded").at(-1)?.records).toBe(1);
    await cluster.close();
  });
});
