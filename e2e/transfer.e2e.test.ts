/** Topics that are copied from one cluster to another: records as they are, settings, refusals. Both are brokers in this process. */
import { readdirSync } from "node:fs";
import type { TestBroker } from "@minikafka/testing";
import { expect, test } from "vitest";
import { command, jsonLines } from "./support/cli.ts";
import { temporaryFolder } from "./support/daemon.ts";
import {
  clusterOf,
  contentOf,
  kafkaOf,
  producerOf,
  startedBroker,
  transferWorld,
  valuesOf,
} from "./support/transfer-world.ts";

const ORDERS = { topics: { orders: 2 } };

test("records are copied as they are: null and empty, headers in their order, names twice, times", async () => {
  const world = await transferWorld(ORDERS);
  const { client } = world.source;
  const producer = client.producer();
  const sent = [
    { partition: 0, key: "alice", value: "created", timestampMs: 1_700_000_000_000 },
    { partition: 0, key: null, value: null, timestampMs: 1_600_000_000_000 },
    { partition: 0, key: "", value: "", timestampMs: 0 },
    {
      partition: 1,
      key: Buffer.from([0, 255]),
      value: Buffer.from([128]),
      timestampMs: 1_700_000_000_001,
      headers: [
        { key: "b", value: Buffer.from("2") },
        { key: "a", value: null },
        { key: "b", value: Buffer.from("") },
        { key: "b", value: Buffer.from([255]) },
      ],
    },
  ];
  for (const record of sent) await producer.send({ topic: "orders", ...record });
  await producer.close();

  const ended = await world.export("orders");
  expect(ended).toMatchObject({ code: 0 });
  const copied = contentOf(world.target, "orders");
  expect(copied).toEqual(contentOf(world.source, "orders"));
  expect(copied[3]?.headers.map(({ key }) => key)).toEqual(["b", "a", "b", "b"]);
  expect(ended.stdout).toBe(
    "TOPIC   PARTITION  RECORDS  SOURCE-OFFSET  TARGET-OFFSET\n" +
      "orders  0          3        3              3\n" +
      "orders  1          1        1              1\n",
  );
});

test.each(["gzip", "snappy", "lz4", "zstd", "none"])("a copy may be packed with %s", async (codec) => {
  const world = await transferWorld({ topics: { orders: 1 } });
  const producer = await producerOf(kafkaOf(world.source));
  await producer.send({ topic: "orders", messages: [{ value: "a".repeat(1_000) }, { value: "b" }] });
  expect(await world.export("orders", "-z", codec)).toMatchObject({ code: 0 });
  expect(contentOf(world.target, "orders")).toEqual(contentOf(world.source, "orders"));
  const dump = await world.target.client.admin().dumpLog({ topic: "orders", partition: 0 });
  expect(dump.batches[0]?.codec ?? "none").toBe(codec);
});

test("the copy's topic has as many partitions and the settings that were given; what would change records is left out, and told", async () => {
  const config = { cleanup_policy: "compact", retention_ms: 60_000, message_timestamp_type: "LogAppendTime" };
  const world = await transferWorld({ topics: { orders: { partitions: 3, config } } });
  const { stderr, code } = await world.export("orders");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain("% orders: message.timestamp.type=LogAppendTime is left out at kafka://");
  const settings = await world.target.client.admin().describeConfig("orders");
  const own = settings.filter(({ source }) => source === "topic").map(({ name, value }) => [name, value]);
  expect(Object.fromEntries(own)).toEqual({ cleanup_policy: "compact", retention_ms: 60_000 });
  expect(world.target.partition("orders", 2).logEndOffset).toBe(0);
});

test("--dry-run says what would be copied, and makes nothing", async () => {
  const world = await transferWorld(ORDERS);
  await world.source.client.producer().send({ topic: "orders", value: "x" });
  const { stdout, code } = await world.export("orders", "--dry-run", "--as", "copy", "-J");
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toMatchObject([
    {
      event: "plan",
      topic: "orders",
      target_topic: "copy",
      partitions: 2,
      target: "is created",
      offsets: 1,
      begun: false,
    },
  ]);
  expect((await world.target.client.admin().listTopics()).map(({ topic }) => topic)).toEqual([]);
});

test("what is there already is not written over, and a partition more is no copy", async () => {
  const world = await transferWorld(ORDERS, { topics: { orders: 3, used: 2, few: 1 } });
  await world.target.client.producer().send({ topic: "used", partition: 1, value: "theirs" });
  const more = await world.export("orders");
  expect(more).toMatchObject({ code: 5, stdout: "" });
  expect(more.stderr).toContain("orders has 3 partitions at kafka://");
  expect(more.stderr).not.toContain("topics grow");
  const fewer = await world.export("orders", "--as", "few");
  expect(fewer).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("minikafka-cli topics grow few 2), and the same command goes on"),
  });
  const used = await world.export("orders", "--as", "used");
  expect(used).toMatchObject({ code: 5, stdout: "" });
  expect(used.stderr).toContain("used [1] at kafka://");
  expect(used.stderr).toContain("hint: --as NAME");
  expect(valuesOf(world.target, "used")).toEqual(["theirs"]);
  await world.source.client.producer().send({ topic: "orders", partition: 1, value: "ours" });
  expect(await world.export("orders", "--as", "used", "--append")).toMatchObject({ code: 0 });
  expect(valuesOf(world.target, "used")).toEqual(["theirs", "ours"]);
});

test("a topic that is missing is told on either side, each with what to do", async () => {
  const world = await transferWorld(ORDERS);
  const here = await world.export("order");
  expect(here).toMatchObject({ code: 3 });
  expect(here.stderr).toMatch(/^error: UNKNOWN_TOPIC: there is no topic order at kafka:.*\nhint: /);
  const there = await world.export("orders", "--create", "no");
  expect(there).toMatchObject({ code: 3 });
  expect(there.stderr).toContain("and --create is no\nhint: create it there with 2 partitions");
});

test("a topic that is missing leaves nothing in the folder of the state", async () => {
  const world = await transferWorld(ORDERS);
  const state = temporaryFolder();
  const argv = ["export", "orders", "order", "--to", clusterOf(world.target), "--state", state];
  expect(await command(world.source.address, argv)).toMatchObject({ code: 3 });
  expect(readdirSync(state)).toEqual([]);
});

test("a folder with the state of a copy to one cluster is not taken for that of another one, and still serves the first", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  const another = await startedBroker({});
  const producer = world.source.client.producer();
  await producer.send({ topic: "orders", value: "a" });
  const state = temporaryFolder();
  const exported = (to: TestBroker) =>
    command(world.source.address, ["export", "orders", "--to", clusterOf(to), "--state", state]);
  expect(await exported(world.target)).toMatchObject({ code: 0 });
  const refused = await exported(another);
  expect(refused).toMatchObject({ code: 5, stdout: "" });
  expect(refused.stderr).toContain("orders.jsonl is the state of a copy to the cluster ");
  expect(refused.stderr).toContain("\nhint: keep it, ");
  await producer.send({ topic: "orders", value: "b" });
  expect(await exported(world.target)).toMatchObject({ code: 0 });
  expect(valuesOf(world.target, "orders")).toEqual(["a", "b"]);
});

test("a port that is not Kafka's is known for what it is, and nobody waits", async () => {
  const world = await transferWorld(ORDERS);
  const to = (port: number) =>
    command(world.source.address, ["export", "orders", "--to", `kafka://127.0.0.1:${port}`]);
  const json = await to(world.source.address?.port ?? 0);
  expect(json).toMatchObject({ code: 7 });
  expect(json.stderr).toContain("is a MiniKafka broker's port for lines of JSON\nhint: ");
  const nobody = await to(1);
  expect(nobody).toMatchObject({ code: 7 });
  expect(nobody.stderr).toContain("kafka://127.0.0.1:1 is not reached: ECONNREFUSED\nhint: ");
});

test("a broker without a port for Kafka's clients says how it gets one", async () => {
  const world = await transferWorld({ topics: { orders: 1 }, kafka: false });
  const { code, stderr } = await world.export("orders");
  expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining("--kafka-port 9092") });
});

test("a cluster is not copied onto itself, but one of its topics to another one", async () => {
  const { source } = await transferWorld({ topics: { orders: 1 } });
  await source.client.producer().send({ topic: "orders", value: "x" });
  const argv = ["export", "orders", "--to", clusterOf(source), "--state", temporaryFolder(), "--as"];
  expect(await command(source.address, [...argv, "orders"])).toMatchObject({ code: 2 });
  expect(await command(source.address, [...argv, "copy"])).toMatchObject({ code: 0 });
  expect(valuesOf(source, "copy")).toEqual(["x"]);
});

test("import is the way back: to the broker, from any cluster", async () => {
  const world = await transferWorld(ORDERS);
  await world.source.client.producer().send({ topic: "orders", partition: 1, key: "k", value: "v" });
  expect(await world.export("orders")).toMatchObject({ code: 0 });
  const argv = [
    "import",
    "orders",
    "--from",
    clusterOf(world.target),
    "--as",
    "again",
    "--state",
    temporaryFolder(),
  ];
  expect(await command(world.source.address, argv)).toMatchObject({ code: 0 });
  expect(contentOf(world.source, "again")).toEqual(contentOf(world.source, "orders"));
});

test("what a transaction aborted is not copied, and what waits for its end is told and copied once it has come", async () => {
  const world = await transferWorld({ topics: { orders: 1 } });
  const producer = await producerOf(kafkaOf(world.source), "payments");
  const send = async (value: string, end: "commit" | "abort" | "leave") => {
    const tx = await producer.transaction();
    await tx.send({ topic: "orders", messages: [{ value }] });
    if (end !== "leave") await tx[end]();
    return tx;
  };
  await send("a", "commit");
  await send("b", "abort");
  await send("c", "commit");
  const open = await send("d", "leave");
  const first = await world.export("orders");
  expect(first).toMatchObject({ code: 0 });
  expect(first.stderr).toContain("% orders: 1 offsets from the first open transaction on wait for its end");
  expect(valuesOf(world.target, "orders")).toEqual(["a", "c"]);
  await open.commit();
  expect(await world.export("orders")).toMatchObject({ code: 0 });
  expect(valuesOf(world.target, "orders")).toEqual(["a", "c", "d"]);
});
