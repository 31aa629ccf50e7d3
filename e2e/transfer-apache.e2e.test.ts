/** What is copied to Apache Kafka and back is the same, and groups are where they were. With `npm run outgrow` alone: it starts Kafka. */
import { startBroker } from "@minikafka/testing";
import kafkajs from "kafkajs";
import { expect, onTestFinished, test } from "vitest";
import { apacheKafka, WITH_APACHE_KAFKA } from "./support/apache-kafka.ts";
import { command, jsonLines, startCommand } from "./support/cli.ts";
import { temporaryFolder } from "./support/daemon.ts";
import { commit, contentOf, kafkaOf, producerOf } from "./support/transfer-world.ts";

const RECORDS = 2_000;
const GROUPS_AT = [0, 400, 500, 999, 1_000, 1_001, 1_002, 1_003, 1_004, 1_005, 1_006];

async function filled(nowMs: number) {
  // A segment as small as this one Kafka does not take (KIP-1030).
  const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0, segment_bytes: 100_000 };
  const topics = { orders: { partitions: 2, config } };
  const source = await startBroker({ topics, settings: { port: 0, lab: true } });
  onTestFinished(() => source.close());
  const producer = source.client.producer();
  const headers = [
    { key: "b", value: Buffer.from("1") },
    { key: "a", value: null },
    { key: "b", value: Buffer.from("") },
  ];
  for (let index = 0; index < RECORDS; index += 1) {
    const value = index % 9 === 0 ? null : index % 7 === 0 ? "" : `value ${index}`;
    // Times far from each other, and an hour is what Kafka lets a record come from ahead.
    const timestampMs = index === 100 ? 0 : nowMs - index * 1_000;
    void producer.send({
      topic: "orders",
      partition: index % 2,
      key: `k${index % 700}`,
      value,
      timestampMs,
      headers,
    });
  }
  await producer.flush();
  await producer.close();
  // Six offsets, from 1000 on: three records, of which the second is aborted, and their markers.
  const payments = await producerOf(kafkaOf(source), "payments");
  for (const end of ["commit", "abort", "commit"] as const) {
    const tx = await payments.transaction();
    await tx.send({ topic: "orders", messages: [{ key: end, value: end, partition: 0 }] });
    await tx[end]();
  }
  await source.step.rollSegment({ topic: "orders", partition: 0 });
  await source.step.flushLogs();
  await source.step.compact({ topic: "orders" });
  for (const offset of GROUPS_AT) await commit(source, `at-${offset}`, "orders", offset);
  return source;
}

test("what goes to Apache Kafka and comes back is the same, also after a kill, with every group", async ({
  skip,
}) => {
  skip(!WITH_APACHE_KAFKA, "npm run outgrow starts Apache Kafka for it");
  const there = await apacheKafka();
  if (there === null) return skip("Apache Kafka cannot be had here");
  const source = await filled(Date.now());
  const kept = source.records("orders", { isolation: "read_committed" });
  expect(kept.length).toBeLessThan(RECORDS);
  const state = ["--state", temporaryFolder()];
  const argv = ["export", "orders", "--to", `kafka://${there}`, "-J", ...state];

  const killed = startCommand(source.address, [...argv, "--follow"]);
  expect(JSON.parse(await killed.nextLine())).toMatchObject({ event: "copied" });
  killed.process.kill("SIGKILL");
  await killed.ended;
  await source.client.producer().send({ topic: "orders", partition: 1, key: "last", value: "of all" });

  const ended = await command(source.address, [...argv, "--groups", "all", "-z", "zstd"]);
  expect(ended).toMatchObject({ code: 0 });
  const offsets = jsonLines(ended.stdout).filter(({ event }) => event === "offset");
  expect(new Set(offsets.map(({ outcome }) => outcome))).toEqual(new Set(["carried"]));

  const admin = new kafkajs.Kafka({ brokers: [there], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  onTestFinished(() => admin.disconnect());
  const inFirst = kept.filter(({ partition }) => partition === 0);
  for (const at of GROUPS_AT) {
    const [found] = await admin.fetchOffsets({ groupId: `at-${at}`, topics: ["orders"] });
    const told = found?.partitions.find(({ partition }) => partition === 0)?.offset;
    expect([at, Number(told)]).toEqual([at, inFirst.filter(({ offset }) => offset < at).length]);
  }
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: "orders" }],
  });
  const configs = new Map(
    resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]),
  );
  expect([configs.get("cleanup.policy"), configs.get("segment.bytes")]).toEqual(["compact", "1073741824"]);

  const back = [
    "import",
    "orders",
    "--from",
    `kafka://${there}`,
    "--as",
    "back",
    "--groups",
    "all",
    ...state,
  ];
  expect(await command(source.address, back)).toMatchObject({ code: 0 });
  expect(contentOf(source, "back")).toEqual(contentOf(source, "orders"));
});
