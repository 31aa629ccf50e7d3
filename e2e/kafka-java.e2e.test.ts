/**
 * Apache Kafka's own command line, its Java client and Kafka Streams against the running daemon, as Maven brings them. With
 * `npm run java-clients` alone: it starts JVMs.
 */
import { expect, type TestContext, test } from "vitest";
import { WITH_APACHE_KAFKA } from "./support/apache-kafka.ts";
import { temporaryFolder } from "./support/daemon.ts";
import { javaClients } from "./support/java.ts";
import { addressesOf, kafkaWorld } from "./support/kafka-world.ts";

async function world({ skip }: TestContext) {
  skip(!WITH_APACHE_KAFKA, "npm run java-clients starts Java for it");
  const java = (await javaClients()) ?? skip("Apache Kafka's clients cannot be had here");
  const { daemon, client } = await kafkaWorld(["--brokers", "3"]);
  const servers = addressesOf(daemon).join();
  /** A tool of Kafka's, such as kafka-topics.sh, which is "TopicCommand"; its lines. */
  const tool = async (name: string, argv: readonly string[], input?: string) => {
    const bootstrap = ["--bootstrap-server", servers, ...argv];
    const ended = await java.run(`org.apache.kafka.tools.${name}`, bootstrap, input);
    expect(ended).toMatchObject({ code: 0 });
    return ended.lines;
  };
  return { java, client, servers, tool };
}

/** Of columns however wide. */
const cells = (line: string | undefined) => line?.trim().split(/\s+/);

test("Kafka's command line makes a topic, writes, reads as a group, tells and moves how far that is, and deletes both", async (context) => {
  const { tool } = await world(context);
  const topic = ["--topic", "orders"];
  const GROUPS = "consumer.group.ConsumerGroupCommand";
  await tool("TopicCommand", ["--create", ...topic, "--partitions", "2", "--replication-factor", "3"]);
  expect(cells((await tool("TopicCommand", ["--describe", ...topic]))[1])).toEqual(
    "Topic: orders Partition: 0 Leader: 1 Replicas: 1,2,3 Isr: 1,2,3 Elr: N/A LastKnownElr: N/A".split(" "),
  );

  const keyed = ["--reader-property", "parse.key=true", "--reader-property", "key.separator=:"];
  await tool("ConsoleProducer", [...topic, ...keyed], "alice:1\nbob:2\nalice:3\n");
  const group = ["--group", "billing"];
  const reading = ["--from-beginning", "--max-messages", "3", "--formatter-property", "print.key=true"];
  const read = await tool("consumer.ConsoleConsumer", [...topic, ...group, ...reading]);
  expect(read.toSorted()).toEqual(["alice\t1", "alice\t3", "bob\t2"]);

  const [, ...rows] = await tool(GROUPS, ["--describe", ...group]);
  const standing = rows.map((line) => cells(line) ?? []);
  expect(standing.map(([name, ofTopic, partition, , , lag]) => [name, ofTopic, partition, lag])).toEqual([
    ["billing", "orders", "0", "0"],
    ["billing", "orders", "1", "0"],
  ]);
  const ends = standing.map(([, , , committed]) => Number(committed));
  expect(ends.reduce((sum, end) => sum + end, 0)).toBe(3);
  expect(await tool("GetOffsetShell", topic)).toEqual(
    ends.map((end, partition) => `orders:${partition}:${end}`),
  );

  await tool(GROUPS, [...group, ...topic, "--reset-offsets", "--to-earliest", "--execute"]);
  const [, ...moved] = await tool(GROUPS, ["--describe", ...group]);
  expect(moved.map((line) => cells(line)?.slice(3, 6).map(Number))).toEqual(ends.map((end) => [0, end, end]));

  await tool(GROUPS, ["--delete", ...group]);
  expect(await tool(GROUPS, ["--list"])).toEqual([]);
  await tool("TopicCommand", ["--delete", ...topic]);
  expect(await tool("TopicCommand", ["--list", "--exclude-internal"])).toEqual([]);
});

test("Kafka's command line finds no hanging transaction, whichever broker it asks", async (context) => {
  const { tool, client } = await world(context);
  await client.admin().createTopic({ topic: "orders", partitions: 3, replicationFactor: 3 });
  const producer = client.producer({ transactionalId: "billing" });
  await producer.transaction(async (transaction) => {
    for (const partition of [0, 1, 2]) await transaction.send({ topic: "orders", partition, value: "paid" });
  });
  const TRANSACTIONS = "TransactionsCommand";
  for (const broker of ["1", "2", "3"])
    expect(await tool(TRANSACTIONS, ["find-hanging", "--broker-id", broker])).toHaveLength(1);
  expect((await tool(TRANSACTIONS, ["list"])).map((line) => cells(line)?.slice(-1))).toEqual([
    ["TransactionState"],
    ["CompleteCommit"],
  ]);
});

test("Kafka's measuring tools come to their end", async (context) => {
  const { tool, client } = await world(context);
  await client.admin().createTopic({ topic: "orders", partitions: 2, replicationFactor: 3 });
  const all = ["--topic", "orders", "--num-records", "5000"];
  const produced = await tool("ProducerPerformance", [...all, "--record-size", "100", "--throughput", "-1"]);
  expect(produced.at(-1)).toMatch(/^5000 records sent, /);
  const consumed = await tool("ConsumerPerformance", all);
  expect(consumed.at(-1)?.split(", ")[4]).toBe("5000");
  const trips = ["--topic", "orders", "--num-records", "20", "--producer-acks", "all", "--record-size", "50"];
  expect((await tool("EndToEndLatency", trips)).at(-1)).toMatch(/^Percentiles: 50th = \d/);
});

test("the Java client moves records exactly once as a static member, and is fenced by its successor", async (context) => {
  const { java, servers, client } = await world(context);
  expect(await java.run("ExactlyOnce.java", [servers, "600"])).toMatchObject({
    lines: ["moved 600", "fenced: ProducerFencedException", "there 600, different 600"],
    code: 0,
  });
  const target = await client.admin().describePartition({ topic: "out", partition: 0 });
  expect(target.openTransactions).toEqual([]);
});

test("Kafka Streams counts exactly once", async (context) => {
  const { java, servers } = await world(context);
  const counts = Array.from({ length: 10 }, (_, word) => `w${word}=100`).join(", ");
  expect(await java.run("WordCount.java", [servers, temporaryFolder()])).toMatchObject({
    lines: [`{${counts}}`, "closed true"],
    code: 0,
  });
});

test("the Java client is told that the group protocol of KIP-848 is not spoken", async (context) => {
  const { java, servers, client } = await world(context);
  await client.admin().createTopic({ topic: "orders", partitions: 1 });
  const argv = [
    "--bootstrap-server",
    servers,
    "--topic",
    "orders",
    "--command-property",
    "group.protocol=consumer",
  ];
  const { lines, stderr } = await java.run("org.apache.kafka.tools.consumer.ConsoleConsumer", argv);
  expect(lines).toEqual([]);
  expect(stderr).toMatch(/does not support the new CONSUMER group protocol/);
});
