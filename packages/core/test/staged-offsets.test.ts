/** Offsets that are committed by a transaction: all of them when it commits, none when it aborts (KIP-98, KIP-447). */
import { describe, expect, test } from "vitest";
import { BrokerError } from "../src/errors.ts";
import { orders, TestMember } from "./group-world.ts";
import { commit, committed, OFFSETS_TOPIC, offsetOf, openOffsets } from "./offsets-world.ts";
import { markersOn } from "./replica-transactions-world.ts";
import { outcomeOf, settle } from "./replica-world.ts";
import { end, PLACE, PRODUCER, stage } from "./staged-offsets-world.ts";
import { memoryWorld, rejection } from "./world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("offsets of a transaction", () => {
  test("are told with the acknowledgement of its commit marker, those of several groups together", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world, { brokerIds: [1, 2] });
    const committing = commit(cluster, "billing", "orders:0=1");
    await settle();
    for (const _ of [1, 2]) await cluster.replicateOnce();
    await committing;
    const staging = [
      stage(cluster, "billing", ["orders:0=5 note", "orders:1=6"]),
      stage(cluster, "shipping", ["orders:0=7"]),
    ];
    await settle();
    for (const _ of [1, 2]) await cluster.replicateOnce();
    await Promise.all(staging);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=1"]);
    const ended = end(cluster, "commit");
    expect(await outcomeOf(ended)).toBe("pending");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=1"]);
    expect(await committed(cluster, "shipping")).toEqual([]);
    for (const _ of [1, 2]) await cluster.replicateOnce();
    await ended;
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5 note", "orders:1=6"]);
    expect(await committed(cluster, "shipping")).toEqual(["orders:0=7"]);
    expect(world.events.of("offsets_staged")).toMatchObject([
      { groupId: "billing", ...PRODUCER, offsets: [{ offset: 5 }, { offset: 6 }] },
      { groupId: "shipping", ...PRODUCER, offsets: [{ offset: 7 }] },
    ]);
    expect(world.events.of("offsets_committed").slice(1)).toMatchObject([
      { groupId: "billing", memberId: null, offsets: [{ offset: 5 }, { offset: 6 }] },
      { groupId: "shipping", memberId: null, offsets: [{ offset: 7 }] },
    ]);
    await cluster.close();
  });

  test("are gone with its abort, also after a restart", async () => {
    const world = memoryWorld();
    let cluster = await openOffsets(world);
    await commit(cluster, "billing", "orders:0=1");
    await stage(cluster, "billing", ["orders:0=5", "orders:1=5"]);
    await end(cluster, "abort");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=1"]);
    await cluster.close();
    cluster = await openOffsets(world);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=1"]);
    await cluster.close();
  });

  test("are committed by a marker that comes after a restart, when that was still to come", async () => {
    const world = memoryWorld();
    let cluster = await openOffsets(world);
    await stage(cluster, "billing", ["orders:0=5"]);
    await cluster.crash();
    world.disk.crash({ mode: "lost" });
    cluster = await openOffsets(world);
    expect(await committed(cluster, "billing")).toEqual([]);
    expect(await end(cluster, "commit")).toEqual({ offset: 1 });
    expect(await end(cluster, "commit")).toEqual({ offset: null });
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    expect(markersOn(cluster, 1, PLACE)).toHaveLength(1);
    await cluster.close();
  });

  test("change nothing of what was committed behind them", async () => {
    const cluster = await openOffsets(memoryWorld());
    await stage(cluster, "billing", ["orders:0=5", "orders:1=5"]);
    await commit(cluster, "billing", "orders:0=9");
    await end(cluster, "commit");
    expect(await committed(cluster, "billing")).toEqual(["orders:0=9", "orders:1=5"]);
    await cluster.close();
  });

  test("lie in the partition of their group, whose topic is made for them", async () => {
    const cluster = await openOffsets(memoryWorld());
    expect(cluster.hasTopic(OFFSETS_TOPIC)).toBe(false);
    expect(await end(cluster, "commit")).toEqual({ offset: null });
    const asked = ["a", "b"].map((groupId) => cluster.groups.partitionOf(groupId));
    expect(await Promise.all(asked)).toEqual([PLACE, PLACE]);
    expect(cluster.hasTopic(OFFSETS_TOPIC)).toBe(true);
    expect(await cluster.groups.partitionOf("c")).toEqual(PLACE);
    await cluster.close();
  });
});

describe("sending offsets in a transaction is refused", () => {
  test("by its coordinator's word in the instant in which they would be written", async () => {
    const cluster = await openOffsets(memoryWorld());
    await commit(cluster, "billing", "orders:0=1");
    const request = { groupId: "billing", member: null, offsets: [offsetOf("orders:0=5")] };
    const requireOngoing = () => {
      throw new BrokerError("INVALID_TRANSACTION_STATE", "it has ended");
    };
    const refused = cluster.groups.stage(request, { ...PRODUCER, requireOngoing });
    expect(await rejection(refused)).toMatchObject({ code: "INVALID_TRANSACTION_STATE" });
    expect(cluster.describeOffsets(PLACE).logEndOffset).toBe(1);
    await cluster.close();
  });

  test("to a former owner, and to who is no member of a group that has some (KIP-447)", async () => {
    const cluster = await openOffsets(memoryWorld());
    const member = new TestMember(cluster, "a", "billing");
    await member.join();
    const { generation } = member;
    const stale = { memberId: "a", generation: generation - 1 };
    const send = (as: { memberId: string; generation: number } | null) =>
      stage(cluster, "billing", ["orders:0=5"], PRODUCER, as);
    expect(await rejection(send(stale))).toMatchObject({ code: "ILLEGAL_GENERATION" });
    expect(await rejection(send(null))).toMatchObject({ code: "UNKNOWN_MEMBER" });
    await send({ memberId: "a", generation });
    await end(cluster, "commit");
    expect(await committed(cluster, "billing", orders(0))).toEqual(["orders:0=5"]);
    await cluster.close();
  });

  test("for what a commit is refused for: a partition that is not there, an offset that is none", async () => {
    const cluster = await openOffsets(memoryWorld());
    expect(await rejection(stage(cluster, "billing", ["orders:9=5"]))).toMatchObject({
      code: "UNKNOWN_PARTITION",
    });
    const offsets = [{ topic: "orders", partition: 0, offset: 0.5, metadata: null }];
    const broken = { groupId: "billing", member: null, offsets };
    const sent = cluster.groups.stage(broken, { ...PRODUCER, requireOngoing: () => {} });
    expect(await rejection(sent)).toMatchObject({ code: "INVALID_REQUEST" });
    expect(cluster.hasTopic(OFFSETS_TOPIC)).toBe(false);
    await cluster.close();
  });
});

describe("while the fate of a group's offsets is open", () => {
  test("who wants stable ones is refused, for the partitions that it asks about, until the end is acknowledged", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world, { brokerIds: [1, 2] });
    const rounds = async (work: Promise<unknown>) => {
      await settle();
      for (const _ of [1, 2]) await cluster.replicateOnce();
      await work;
    };
    await rounds(commit(cluster, "billing", "orders:0=1", "orders:1=1"));
    await rounds(stage(cluster, "billing", ["orders:0=5"]));
    const stable = (...partitions: number[]) =>
      cluster.groups.committed({
        groupId: "billing",
        partitions: orders(...partitions),
        requireStable: true,
      });
    expect(await rejection(stable(1, 0))).toMatchObject({
      code: "UNSTABLE_OFFSET_COMMIT",
      details: { topic: "orders", partition: 0 },
    });
    const all = { groupId: "billing", requireStable: true };
    expect(await rejection(cluster.groups.committed(all))).toMatchObject({ code: "UNSTABLE_OFFSET_COMMIT" });
    expect(await stable(1)).toMatchObject([{ offset: 1 }]);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=1", "orders:1=1"]);
    const ended = end(cluster, "commit");
    await settle();
    expect(await rejection(stable(0))).toMatchObject({ code: "UNSTABLE_OFFSET_COMMIT" });
    await rounds(ended);
    expect(await stable(0)).toMatchObject([{ offset: 5 }]);
    expect(await cluster.groups.committed(all)).toHaveLength(2);
    await cluster.close();
  });

  test("it is not deleted, also one that has nothing else, and may be afterwards", async () => {
    const cluster = await openOffsets(memoryWorld());
    await commit(cluster, "billing", "orders:0=1");
    await stage(cluster, "billing", ["orders:0=5"]);
    await stage(cluster, "shipping", ["orders:0=5"]);
    for (const groupId of ["billing", "shipping"])
      expect(await rejection(cluster.groups.delete(groupId))).toMatchObject({
        code: "CONCURRENT_TRANSACTIONS",
      });
    await end(cluster, "abort");
    await cluster.groups.delete("billing");
    expect(await committed(cluster, "billing")).toEqual([]);
    expect(await rejection(cluster.groups.delete("shipping"))).toMatchObject({ code: "UNKNOWN_GROUP" });
    await cluster.close();
  });

  test("none of its offsets is forgotten, and the group does not die, until then", async () => {
    const world = memoryWorld();
    const cluster = await openOffsets(world);
    await commit(cluster, "billing", "orders:0=1", "orders:1=1");
    world.clock.advance(8 * DAY_MS);
    await stage(cluster, "billing", ["orders:0=5"]);
    expect(await cluster.groups.expireOffsets()).toEqual([]);
    await end(cluster, "commit");
    expect(await cluster.groups.expireOffsets()).toEqual([
      { groupId: "billing", topic: "orders", partition: 1 },
    ]);
    expect(await committed(cluster, "billing")).toEqual(["orders:0=5"]);
    await cluster.close();
  });
});
