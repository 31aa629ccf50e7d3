import type { RequestInputOf } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

const TOPIC = 2;
const BROKER = 4;
const LONG_MAX = "9223372036854775807";

async function open(config: { readonly [key: string]: string | number } = {}) {
  const broker = await openKafkaBroker({ brokers: 2 });
  broker.cluster.createTopic({ topic: "orders", partitions: 1, config });
  return { broker, client: await KafkaClient.open(broker) };
}

function describe(
  client: KafkaClient,
  version: number,
  resource: Partial<RequestInputOf<"DescribeConfigs">["resources"][number]>,
  more: Partial<RequestInputOf<"DescribeConfigs">> = {},
) {
  const resources = [{ resourceType: TOPIC, resourceName: "orders", ...resource }];
  return client.ask("DescribeConfigs", version, { resources, ...more });
}

test("DescribeConfigs tells all settings of a topic in every version, with defaults and sources", async () => {
  const { client } = await open({ retention_ms: 60_000, cleanup_policy: "compact,delete" });
  for (let version = 1; version <= 4; version += 1) {
    const { results } = await describe(client, version, {});
    expect(results).toMatchObject([{ errorCode: 0, resourceType: TOPIC, resourceName: "orders" }]);
    const configs = results[0]?.configs ?? [];
    const byName = new Map(configs.map((config) => [config.name, config]));
    expect([...byName.keys()]).toEqual([...byName.keys()].sort());
    expect(byName.size).toBe(21);
    expect(byName.get("retention.ms")).toMatchObject({ value: "60000", configSource: 1, readOnly: false });
    expect(byName.get("cleanup.policy")).toMatchObject({ value: "compact,delete", configSource: 1 });
    expect(byName.get("min.insync.replicas")).toMatchObject({ value: "1", configSource: 5 });
    expect(byName.get("max.compaction.lag.ms")).toMatchObject({ value: LONG_MAX, configSource: 5 });
    expect(byName.get("compression.type")).toMatchObject({
      value: "producer",
      readOnly: false,
      configSource: 5,
    });
    if (version >= 3) expect(byName.get("segment.bytes")?.configType).toBe(3);
    expect(
      configs.every(({ synonyms, documentation }) => synonyms.length === 0 && documentation === null),
    ).toBe(true);
  }
});

test("keys choose among them; synonyms and documentation come to who asks for them", async () => {
  const { client } = await open({ retention_ms: 60_000 });
  const keys = { configurationKeys: ["retention.ms", "segment.bytes", "segment.ms", "no.such.setting"] };
  const { results } = await describe(client, 4, keys, { includeSynonyms: true, includeDocumentation: true });
  expect(results[0]?.configs).toMatchObject([
    {
      name: "retention.ms",
      synonyms: [{ name: "retention.ms", value: "60000", source: 1 }],
      configType: 5,
      documentation: expect.stringContaining("retention"),
    },
    { name: "segment.bytes", synonyms: [{ name: "log.segment.bytes", source: 5 }] },
    { name: "segment.ms", synonyms: [] },
  ]);
  const all = await describe(client, 4, { configurationKeys: [] });
  expect(all.results[0]?.configs).toHaveLength(21);
  const own = { resourceType: BROKER, resourceName: "1" };
  const ofBroker = await describe(client, 4, { ...own, configurationKeys: [] });
  expect(ofBroker.results).toEqual((await describe(client, 4, own)).results);
});

test("a broker tells its own settings, and those of nobody else", async () => {
  const { client } = await open();
  const own = await describe(client, 2, { resourceType: BROKER, resourceName: "1" });
  const byName = new Map(own.results[0]?.configs.map((config) => [config.name, config]));
  expect(byName.get("broker.id")).toMatchObject({ value: "1", readOnly: true, configSource: 4 });
  expect(byName.get("auto.create.topics.enable")).toMatchObject({ value: "true" });
  for (const resource of [
    { resourceType: BROKER, resourceName: "2" },
    { resourceType: 8, resourceName: "1" },
  ]) {
    const { results } = await describe(client, 2, resource);
    expect(results).toMatchObject([{ errorCode: 42, configs: [] }]);
  }
  const changed = await describe(client, 2, { resourceType: BROKER, resourceName: "" });
  expect(changed.results).toMatchObject([{ errorCode: 0, configs: [] }]);
  const missing = await describe(client, 2, { resourceName: "missing" });
  expect(missing.results).toMatchObject([{ errorCode: 3, configs: [] }]);
});

test("AlterConfigs replaces all settings of a topic in every version; what is not named is the default again", async () => {
  const { broker, client } = await open();
  for (let version = 0; version <= 2; version += 1) {
    broker.cluster.alterConfig("orders", { retention_ms: 5, segment_ms: 7, max_message_bytes: null });
    const configs = [
      { name: "retention.ms", value: "60000" },
      { name: "preallocate", value: "false" },
    ];
    const resources = [{ resourceType: TOPIC, resourceName: "orders", configs }];
    const look = await client.ask("AlterConfigs", version, { resources, validateOnly: true });
    expect(look.responses).toMatchObject([{ errorCode: 0 }]);
    expect(broker.cluster.describeTopic("orders").config).toEqual({ retention_ms: 5, segment_ms: 7 });
    const { responses } = await client.ask("AlterConfigs", version, { resources });
    expect(responses).toMatchObject([{ errorCode: 0, resourceType: TOPIC, resourceName: "orders" }]);
    expect(broker.cluster.describeTopic("orders").config).toEqual({ retention_ms: 60_000 });
  }
});

test.each<[what: string, configs: { name: string; value: string | null }[], errorCode: number]>([
  ["a setting without a value", [{ name: "segment.ms", value: null }], 42],
  ["a setting twice", ["1", "1"].map((value) => ({ name: "segment.ms", value })), 42],
  ["a value that cannot be", [{ name: "segment.ms", value: "soon" }], 40],
])("AlterConfigs with %s is refused, and nothing of it is done", async (_what, configs, errorCode) => {
  const { broker, client } = await open({ retention_ms: 5 });
  const resources = [{ resourceType: TOPIC, resourceName: "orders", configs }];
  const { responses } = await client.ask("AlterConfigs", 2, { resources });
  expect(responses).toMatchObject([{ errorCode, errorMessage: expect.any(String) }]);
  expect(broker.cluster.describeTopic("orders").config).toEqual({ retention_ms: 5 });
});

test("all that was described can be written back", async () => {
  const { broker, client } = await open({ min_compaction_lag_ms: 3 });
  const { results } = await describe(client, 4, {});
  const configs = (results[0]?.configs ?? []).map(({ name, value }) => ({ name, value }));
  const resources = [{ resourceType: TOPIC, resourceName: "orders", configs }];
  const { responses } = await client.ask("AlterConfigs", 2, { resources });
  expect(responses).toMatchObject([{ errorCode: 0, errorMessage: null }]);
  const again = await describe(client, 4, {});
  expect(again.results[0]?.configs.map(({ name, value }) => ({ name, value }))).toEqual(configs);
  expect(broker.cluster.describeTopic("orders").config.max_compaction_lag_ms).toBe(Number.MAX_SAFE_INTEGER);
});

const [SET, DELETE, APPEND, SUBTRACT] = [0, 1, 2, 3] as const;

function alter(
  client: KafkaClient,
  version: number,
  configs: readonly [string, number, string | null][],
  validateOnly = false,
) {
  const named = configs.map(([name, configOperation, value]) => ({ name, configOperation, value }));
  const resources = [{ resourceType: TOPIC, resourceName: "orders", configs: named }];
  return client.ask("IncrementalAlterConfigs", version, { resources, validateOnly });
}

test("IncrementalAlterConfigs changes what it names, in both versions, and JSON clients see it", async () => {
  const { broker, client } = await open({ retention_ms: 5, segment_ms: 7 });
  const json = Session.open(broker);
  const changes: [string, number, string | null][] = [
    ["retention.ms", DELETE, null],
    ["min.insync.replicas", SET, "2"],
    ["cleanup.policy", APPEND, "compact"],
  ];
  expect((await alter(client, 0, changes, true)).responses).toMatchObject([{ errorCode: 0 }]);
  expect(broker.cluster.describeTopic("orders").config).toEqual({ retention_ms: 5, segment_ms: 7 });
  expect((await alter(client, 0, changes)).responses).toMatchObject([{ errorCode: 0, errorMessage: null }]);
  const own = { segment_ms: 7, min_insync_replicas: 2, cleanup_policy: "compact,delete" };
  expect(broker.cluster.describeTopic("orders").config).toEqual(own);
  await alter(client, 1, [["cleanup.policy", SUBTRACT, "delete"]]);
  const { config } = await json.call("describe_config", { topic: "orders" });
  expect(config).toContainEqual(expect.objectContaining({ name: "cleanup_policy", value: "compact" }));
});

test.each<[what: string, changes: [string, number, string | null][], errorCode: number]>([
  ["a setting that there is not", [["retention.s", SET, "1"]], 40],
  ["a value that cannot be", [["retention.ms", SET, "-2"]], 40],
  ["a codec that Kafka does not call so", [["compression.type", SET, "none"]], 40],
  ["a fixed setting's other value", [["unclean.leader.election.enable", SET, "true"]], 40],
  [
    "a name twice",
    [
      ["retention.ms", SET, "1"],
      ["retention.ms", SET, "2"],
    ],
    42,
  ],
  [
    "two that contradict each other",
    [
      ["min.compaction.lag.ms", SET, "9"],
      ["max.compaction.lag.ms", SET, "8"],
    ],
    40,
  ],
  ["no list to append to", [["retention.ms", APPEND, "1"]], 40],
  ["the last word of a list", [["cleanup.policy", SUBTRACT, "delete"]], 40],
  ["no value", [["retention.ms", SET, null]], 42],
  ["an operation that there is not", [["retention.ms", 4, "1"]], 42],
])("a change with %s is refused, and nothing of it is done", async (_what, changes, errorCode) => {
  const { broker, client } = await open();
  const { responses } = await alter(client, 1, [["segment.ms", SET, "7"], ...changes]);
  expect(responses).toMatchObject([{ errorCode, errorMessage: expect.any(String) }]);
  expect(broker.cluster.describeTopic("orders").config).toEqual({});
});

test("what is no topic is refused in its own place, and so is what stands there twice; the others are changed", async () => {
  const { broker, client } = await open();
  broker.cluster.createTopic({ topic: "other", partitions: 1 });
  const configs = [{ name: "segment.ms", configOperation: SET, value: "7" }];
  const places = [
    [BROKER, "1"],
    [TOPIC, "missing"],
    [TOPIC, "orders"],
    [TOPIC, "orders"],
    [TOPIC, "other"],
  ] as const;
  const resources = places.map(([resourceType, resourceName]) => ({ resourceType, resourceName, configs }));
  const { responses } = await client.ask("IncrementalAlterConfigs", 1, { resources });
  expect(responses.map(({ errorCode }) => errorCode)).toEqual([42, 3, 42, 42, 0]);
  expect(broker.cluster.describeTopic("orders").config).toEqual({});
  expect(broker.cluster.describeTopic("other").config).toEqual({ segment_ms: 7 });
});
