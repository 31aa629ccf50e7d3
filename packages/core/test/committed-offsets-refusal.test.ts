import { describe, expect, test } from "vitest";
import { append, openCluster } from "./cluster-world.ts";
import { commit, committed, OFFSETS_TOPIC, offsetOf, openOffsets } from "./offsets-world.ts";
import { memoryWorld, rejection } from "./world.ts";

const PLACE = { topic: OFFSETS_TOPIC, partition: 0 };

describe("a commit that is refused", () => {
  test("changes nothing, though one of its offsets alone was wrong", async () => {
    const cluster = await openOffsets(memoryWorld());
    await commit(cluster, "billing", "orders:0=3");
    const { logEndOffset } = cluster.describeOffsets(PLACE);
    for (const [offsets, refusal] of [
      [["orders:0=9", "nowhere:0=1"], { code: "UNKNOWN_TOPIC", details: { topic: "nowhere" } }],
      [["orders:0=9", "orders:4=1"], { code: "UNKNOWN_PARTITION", details: { partition: 4, partitions: 4 } }],
      [["orders:0=9", `orders:1=1 ${"x".repeat(4097)}`], { code: "INVALID_REQUEST" }],
    ] as const)
      expect(await rejection(commit(cluster, "billing", ...offsets))).toMatchObject(refusal);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=3"]);
    expect(cluster.describeOffsets(PLACE).logEndOffset).toBe(logEndOffset);
    await cluster.close();
  });

  test("says what an offset may be", async () => {
    const cluster = await openOffsets(memoryWorld());
    for (const offset of [0.5, Number.MAX_SAFE_INTEGER + 1]) {
      const offsets = [{ ...offsetOf("orders:0=0"), offset }];
      expect(
        await rejection(cluster.groups.commit({ groupId: "billing", member: null, offsets })),
      ).toMatchObject({
        code: "INVALID_REQUEST",
        message: `the offset of orders-0 is ${offset}; expected a whole number`,
      });
    }
    await cluster.close();
  });

  test("names a partition twice, or has a note that is no text: nothing of it counts", async () => {
    const cluster = await openOffsets(memoryWorld());
    expect(
      await rejection(commit(cluster, "billing", "orders:0=1", "orders:1=1", "orders:0=2")),
    ).toMatchObject({
      code: "INVALID_REQUEST",
      message: "orders-0 is named twice; expected each partition once",
    });
    expect(await rejection(commit(cluster, "billing", "orders:1=1", "orders:0=1 \ud800"))).toMatchObject({
      code: "INVALID_REQUEST",
      message: "the metadata of orders-0 has 1 characters; expected at most 4096 of well-formed text",
    });
    expect(cluster.hasTopic(OFFSETS_TOPIC)).toBe(false);
    expect(await committed(cluster, "billing")).toEqual([]);
    await cluster.close();
  });

  test("is of a group whose name is too long, which no other question about it takes either", async () => {
    const cluster = await openOffsets(memoryWorld());
    const [longest, tooLong] = ["\u{1f600}".repeat(255), "\u{1f600}".repeat(256)];
    const { groups } = cluster;
    await commit(cluster, longest, `orders:0=1 ${"\u{1f600}".repeat(4096)}`);
    expect(await groups.describe(longest)).toMatchObject({ groupId: longest });
    await groups.delete(longest);
    const asked = [
      commit(cluster, tooLong, "orders:0=1"),
      groups.committed({ groupId: tooLong }),
      groups.describe(tooLong),
      groups.delete(tooLong),
    ];
    for (const one of asked)
      expect(await rejection(one)).toMatchObject({
        code: "INVALID_REQUEST",
        message: expect.stringMatching(/^group_id is .* 256 characters; expected 1 to 255/),
      });
    await cluster.close();
  });

  test("is too large for one batch as a whole: nothing of it counts", async () => {
    const cluster = await openOffsets(memoryWorld());
    cluster.createTopic({ topic: "wide", partitions: 1000 });
    const metadata = "x".repeat(4096);
    const offsets = Array.from({ length: 1000 }, (_, partition) => ({
      topic: "wide",
      partition,
      offset: 1,
      metadata,
    }));
    const refused = await rejection(cluster.groups.commit({ groupId: "billing", member: null, offsets }));
    expect(refused).toMatchObject({ code: "RECORD_TOO_LARGE" });
    expect(String(refused)).toMatch(
      /1000 offsets with their metadata take \d+ bytes together; expected at most 2097152/,
    );
    expect(await committed(cluster, "billing")).toEqual([]);
    await cluster.close();
  });

  test("is refused on a cluster that closes, as every question is", async () => {
    const cluster = await openOffsets(memoryWorld());
    await cluster.close();
    expect(await rejection(commit(cluster, "billing", "orders:0=1"))).toMatchObject({
      code: "SHUTTING_DOWN",
    });
    expect(await rejection(committed(cluster, "billing"))).toMatchObject({ code: "SHUTTING_DOWN" });
    expect(await rejection(cluster.groups.expireOffsets())).toMatchObject({ code: "SHUTTING_DOWN" });
  });
});

describe("the internal topic", () => {
  test("is read by clients like any other, and told apart in the list", async () => {
    const cluster = await openOffsets(memoryWorld());
    await commit(cluster, "billing", "orders:0=3");
    expect(cluster.fetch(PLACE, 0, { bytesMax: 1000 }).nextOffset).toBe(1);
    expect(cluster.listTopics().map(({ topic, isInternal }) => [topic, isInternal])).toEqual([
      [OFFSETS_TOPIC, true],
      ["orders", false],
    ]);
    await cluster.close();
  });

  test("takes no records, deletion or settings from clients", async () => {
    const cluster = await openOffsets(memoryWorld());
    await commit(cluster, "billing", "orders:0=3");
    const refusal = expect.objectContaining({ code: "INVALID_TOPIC" });
    expect(await rejection(append(cluster, PLACE, "forged"))).toEqual(refusal);
    expect(await rejection(cluster.deleteRecords(PLACE, 1))).toEqual(refusal);
    expect(() => cluster.deleteTopic(OFFSETS_TOPIC)).toThrow(refusal);
    expect(() => cluster.alterConfig(OFFSETS_TOPIC, { cleanup_policy: "delete" })).toThrow(refusal);
    expect(() => cluster.createTopic({ topic: OFFSETS_TOPIC, partitions: 1 })).toThrow(refusal);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=3"]);
    await cluster.close();
  });

  test("has its name kept free, also of names that are not told apart from it", async () => {
    const cluster = await openCluster(memoryWorld());
    for (const topic of ["..consumer_offsets", "_.Consumer.Offsets", "._transaction_state"])
      expect(() => cluster.createTopic({ topic, partitions: 1 })).toThrow(
        expect.objectContaining({
          code: "INVALID_TOPIC",
          details: { collides_with: expect.stringMatching(/^__/) },
        }),
      );
    await cluster.close();
  });

  test("keeps the number of partitions that it was made with, whatever the next configuration says", async () => {
    const world = memoryWorld();
    let cluster = await openOffsets(world, { offsetsTopicPartitions: 3 });
    await commit(cluster, "billing", "orders:0=3");
    await cluster.close();
    cluster = await openOffsets(world, { offsetsTopicPartitions: 7 });
    expect(cluster.describeTopic(OFFSETS_TOPIC).partitions).toBe(3);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=3"]);
    await cluster.close();
  });
});
