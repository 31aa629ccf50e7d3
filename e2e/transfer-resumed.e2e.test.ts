/** A copy that was ended in the middle, by whatever, is gone on with: each record is there once, in order; and groups go on where they were. */
import type { TestBroker } from "@minikafka/testing";
import { expect, test } from "vitest";
import { jsonLines } from "./support/cli.ts";
import {
  clusterOf,
  commit,
  committed,
  contentOf,
  kafkaOf,
  producerOf,
  transferWorld,
  valuesOf,
} from "./support/transfer-world.ts";

/** About a batch's worth each, so that there are as many batches as records. */
const LARGE = "x".repeat(500_000);

async function fill(source: TestBroker, records: number, partitions = 1): Promise<void> {
  const producer = source.client.producer();
  for (let index = 0; index < records; index += 1)
    await producer.send({ topic: "orders", partition: index % partitions, value: `${index} ${LARGE}` });
  await producer.close();
}

test("killed again and again in the middle of a batch, the copy has each record once", async () => {
  const { source, target, startExport } = await transferWorld({ topics: { orders: 2 } });
  await fill(source, 10, 2);
  for (const sooner of [2, 5]) {
    const running = startExport("orders");
    await target.waitForRecords("orders", sooner, { timeoutMs: 60_000 });
    running.process.kill("SIGKILL");
    await running.ended;
    expect(target.records("orders").length).toBeLessThan(10);
  }
  const { code, stderr } = await startExport("orders").ended;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(contentOf(target, "orders")).toEqual(contentOf(source, "orders"));
});

test.each(["close", "close_after", "drop_answer"] as const)(
  "a batch whose answer is lost (%s) is there once",
  async (action) => {
    const world = await transferWorld({ topics: { orders: 1 } }, { settings: { lab: true } });
    await fill(world.source, 4);
    const rule = await world.target.fault.arm({ point: "kafka.Produce", action, times: { nth: 2 } });
    expect(await world.export("orders", "--timeout", "1s")).toMatchObject({ code: 0 });
    await rule.assertFired();
    expect(contentOf(world.target, "orders")).toEqual(contentOf(world.source, "orders"));
  },
);

test("a batch that was about to be sent when the process died is sent once, whether it has arrived or not", async () => {
  const world = await transferWorld({ topics: { orders: 1 } }, { settings: { lab: true } });
  await fill(world.source, 3);
  // The answer never comes, and the patience is at its end: nobody knows whether the batch is there.
  for (const action of ["close", "close_after"] as const) {
    const rule = await world.target.fault.arm({ point: "kafka.Produce", action, times: "always" });
    expect(await world.export("orders", "--timeout", "300ms")).toMatchObject({ code: 7 });
    await rule.assertFired();
    await rule.disarm();
  }
  expect(await world.export("orders")).toMatchObject({ code: 0 });
  expect(contentOf(world.target, "orders")).toEqual(contentOf(world.source, "orders"));
});

test("what comes later is copied by the same command, and nothing else", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  const producer = world.source.client.producer();
  await producer.send({ topic: "orders", value: "a" });
  await world.export("orders");
  await producer.send({ topic: "orders", value: "b" });
  const { stdout } = await world.export("orders", "-J");
  expect(jsonLines(stdout)).toMatchObject([
    { event: "copied", records: 1, partitions: [{ target_offset: 2 }] },
  ]);
  expect(valuesOf(world.target, "orders")).toEqual(["a", "b"]);
});

test("where somebody else writes to the copy it stops, and says so", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  await world.source.client.producer().send({ topic: "orders", value: "ours" });
  await world.export("orders");
  await world.target.client.producer().send({ topic: "orders", value: "theirs" });
  await world.source.client.producer().send({ topic: "orders", value: "more of ours" });
  const ended = await world.export("orders");
  expect(ended).toMatchObject({ code: 5, stdout: "" });
  expect(ended.stderr).toContain("ends at 2; expected 0 or 1: somebody else has written to it\nhint: ");
  expect(valuesOf(world.target, "orders")).toEqual(["ours", "theirs"]);
});

test("as many records of somebody else's as the last batch had, which never arrived, are not taken for it", async () => {
  const world = await transferWorld({ topics: { orders: 1 } }, { settings: { lab: true } });
  const send = (broker: TestBroker, value: string) =>
    broker.client.producer().send({ topic: "orders", value });
  await send(world.source, "a");
  await world.export("orders");
  await send(world.source, "b");
  const rule = await world.target.fault.arm({ point: "kafka.Produce", action: "close", times: "always" });
  expect(await world.export("orders", "--timeout", "300ms")).toMatchObject({ code: 7 });
  await rule.assertFired();
  await rule.disarm();
  await send(world.target, "theirs");
  const ended = await world.export("orders");
  expect(ended).toMatchObject({ code: 5, stdout: "" });
  expect(ended.stderr).toContain("COPY_DIFFERS");
  expect(ended.stderr).toContain("at offset 1 of a producer without an id; expected producer ");
  expect(valuesOf(world.target, "orders")).toEqual(["a", "theirs"]);
});

test("a topic that was deleted and made again is another one, on either side", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  await world.export("orders");
  const admin = world.target.client.admin();
  await admin.deleteTopic("orders");
  expect(await world.export("orders")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("and is gone"),
  });
  await admin.createTopic({ topic: "orders", partitions: 1 });
  const remade = await world.export("orders");
  expect(remade).toMatchObject({ code: 5, stderr: expect.stringContaining("deleted and created again") });
});

test("groups go on at the same next record, past what was aborted, and over what compaction took", async () => {
  const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0 };
  const world = await transferWorld({
    topics: { orders: { partitions: 1, config } },
    settings: { lab: true },
  });
  const { source, target } = world;
  const producer = await producerOf(kafkaOf(source), "payments");
  const send = async (key: string, end: "commit" | "abort") => {
    const tx = await producer.transaction();
    await tx.send({ topic: "orders", messages: [{ key, value: `${key} of ${end}` }] });
    await tx[end]();
  };
  // Offsets: a 0, marker 1, b 2, marker 3, a 4, marker 5, c 6, marker 7, d 8, marker 9.
  for (const [key, end] of [
    ["a", "commit"],
    ["b", "abort"],
    ["a", "commit"],
    ["c", "commit"],
    ["d", "commit"],
  ] as const)
    await send(key, end);
  await source.step.rollSegment({ topic: "orders", partition: 0 });
  await source.step.flushLogs();
  await source.step.compact({ topic: "orders" });
  const kept = source.records("orders", { isolation: "read_committed" }).map(({ offset }) => offset);
  expect(kept).toEqual([4, 6, 8]);
  for (let offset = 0; offset <= 10; offset += 1) await commit(source, `at-${offset}`, "orders", offset);

  const { code, stdout } = await world.export("orders", "--groups", "all", "-J");
  expect(code).toBe(0);
  for (let offset = 0; offset <= 10; offset += 1) {
    const next = kept.filter((each) => each < offset).length;
    expect([offset, await committed(target, `at-${offset}`, "orders")]).toEqual([offset, next]);
  }
  const outcomes = jsonLines(stdout).filter(({ event }) => event === "offset");
  expect(outcomes).toHaveLength(11);
  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(["carried"]));
});

test("a group is not set back where it is further already, unless that is forced", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  const producer = world.source.client.producer();
  for (const value of ["a", "b", "c"]) await producer.send({ topic: "orders", value });
  const { source: here, target: there } = world;
  await commit(here, "billing", "orders", 1);
  await world.export("orders", "--groups", "billing");
  expect(await committed(there, "billing", "orders")).toBe(1);
  await commit(there, "billing", "orders", 3);
  const kept = await world.export("orders", "--groups", "billing", "-J");
  expect(jsonLines(kept.stdout).at(-1)).toMatchObject({ outcome: "kept", target_offset: 3 });
  expect(await committed(there, "billing", "orders")).toBe(3);
  await world.export("orders", "--groups", "billing", "--force");
  expect(await committed(there, "billing", "orders")).toBe(1);
});

test("a group with members is not carried over unless that is forced, and nothing is copied before that is told", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  await world.source.client.producer().send({ topic: "orders", value: "a" });
  const consumer = world.source.client.consumer({ groupId: "billing" });
  await consumer.subscribe("orders");
  await consumer.poll();
  const refused = await world.export("orders", "--groups", "billing");
  expect(refused).toMatchObject({ code: 5, stdout: "" });
  expect(refused.stderr).toMatch(/^error: GROUP_NOT_EMPTY: group billing has members at kafka:/);
  expect((await world.target.client.admin().listTopics()).length).toBe(0);
  expect(await world.export("orders", "--groups", "billing", "--force")).toMatchObject({ code: 0 });
  // Who has nothing to do with what is copied may have members.
  await world.source.client.admin().createTopic({ topic: "payments", partitions: 1 });
  expect(await world.export("payments", "--groups", "all")).toMatchObject({ code: 0 });
  await consumer.close();
  const stranger = await world.export("orders", "--groups", "bill");
  expect(stranger).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("there is no group bill at kafka:"),
  });
});

test("what a group of the SDK's has committed goes over as well, and the group reads on there", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  const producer = world.source.client.producer();
  for (const value of ["a", "b", "c"]) await producer.send({ topic: "orders", value });
  await world.source.client.admin().commitOffsets("billing", [{ topic: "orders", partition: 0, offset: 2 }]);
  expect(await world.export("orders", "--groups", "billing")).toMatchObject({ code: 0 });
  const consumer = world.target.client.consumer({ groupId: "billing" });
  await consumer.subscribe("orders");
  expect((await consumer.poll()).map(({ value }) => value?.toString())).toEqual(["c"]);
  await consumer.close();
});

test("--follow copies what comes until it is stopped, and the same command goes on after that", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  const producer = world.source.client.producer();
  await producer.send({ topic: "orders", value: "a" });
  const following = world.startExport("orders", "--follow");
  await world.target.waitForRecords("orders", 1, { timeoutMs: 60_000 });
  await producer.send({ topic: "orders", value: "b" });
  await world.target.waitForRecords("orders", 2, { timeoutMs: 60_000 });
  following.process.kill("SIGINT");
  const { code, stderr } = await following.ended;
  expect({ code, stderr }).toMatchObject({
    code: 130,
    stderr: expect.stringContaining("the same command goes on"),
  });
  await producer.send({ topic: "orders", value: "c" });
  expect(await world.export("orders")).toMatchObject({ code: 0 });
  expect(valuesOf(world.target, "orders")).toEqual(["a", "b", "c"]);
});

test.each(["source", "target"] as const)(
  "a topic of the %s that is deleted and made again while it is followed ends the copy, which has no record of the other one",
  async (side) => {
    const world = await transferWorld({ topics: { orders: 1 } });
    const send = async (broker: TestBroker, ...values: string[]) => {
      for (const value of values) await broker.client.producer().send({ topic: "orders", value });
    };
    await send(world.source, "old 0", "old 1", "old 2");
    const following = world.startExport("orders", "--follow");
    await world.target.waitForRecords("orders", 3, { timeoutMs: 60_000 });
    // It sees nothing of what is between the two.
    following.process.kill("SIGSTOP");
    const admin = world[side].client.admin();
    await admin.deleteTopic("orders");
    await admin.createTopic({ topic: "orders", partitions: 1 });
    if (side === "source") await send(world.source, "new 0", "new 1", "new 2", "new 3", "new 4");
    else {
      // The end that the copy is expected to have.
      await send(world.target, "theirs", "theirs", "theirs");
      await send(world.source, "old 3");
    }
    following.process.kill("SIGCONT");
    const { code, stderr } = await following.ended;
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("orders was deleted and created again at kafka://"),
    });
    expect(stderr).toContain("while it was copied\nhint: ");
    expect(valuesOf(world.target, "orders")).toEqual(
      side === "source" ? ["old 0", "old 1", "old 2"] : ["theirs", "theirs", "theirs"],
    );
  },
);

test("a group that gets members in the copy while it is followed ends it as one with members does", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  const producer = world.source.client.producer();
  await producer.send({ topic: "orders", value: "a" });
  await commit(world.source, "billing", "orders", 1);
  const following = world.startExport("orders", "--follow", "--groups", "billing");
  await world.target.waitForRecords("orders", 1, { timeoutMs: 60_000 });
  const consumer = world.target.client.consumer({ groupId: "billing" });
  await consumer.subscribe("orders");
  await consumer.poll();
  await commit(world.source, "billing", "orders", 2);
  await producer.send({ topic: "orders", value: "b" });
  const { code, stderr } = await following.ended;
  await consumer.close();
  expect({ code, stderr }).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("error: GROUP_NOT_EMPTY: group billing has members at kafka://"),
  });
  expect(valuesOf(world.target, "orders")[0]).toBe("a");
});

test("a topic that is deleted while it is followed ends the copy with what that means, on either side", async () => {
  for (const side of ["source", "target"] as const) {
    const world = await transferWorld({ topics: { orders: 1 } });
    await world.source.client.producer().send({ topic: "orders", value: "a" });
    const following = world.startExport("orders", "--follow");
    await world.target.waitForRecords("orders", 1, { timeoutMs: 60_000 });
    following.process.kill("SIGSTOP");
    await world[side].client.admin().deleteTopic("orders");
    following.process.kill("SIGCONT");
    const { code, stderr } = await following.ended;
    expect({ code, stderr }).toMatchObject({ code: side === "source" ? 3 : 5 });
    expect(stderr).toContain(`orders was deleted at ${clusterOf(world[side])} while it was copied`);
    expect(stderr).not.toContain("topics create");
  }
});
