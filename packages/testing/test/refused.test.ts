/** What cannot be meant is refused at the call, with what was expected; and nothing of it stays. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigProblem } from "@minikafka/broker";
import { expect, onTestFinished, test } from "vitest";
import { type StartOptions, startBroker } from "../src/index.ts";
import { brokerFor } from "../src/node-test.ts";
import { held } from "./support/held.ts";

test.each<[unknown, string]>([
  [null, "startBroker takes an object of brokers, clock, topics"],
  [
    { broker: 3 },
    "startBroker has no option broker; did you mean brokers? expected brokers, clock, topics, storage, kafka, http, waitTimeoutMs, settings",
  ],
  ...[
    ["topic", "topics"],
    ["waitTimeout", "waitTimeoutMs"],
    ["port", "settings: { port }"],
    ["kafka_port", "settings: { kafka_port }"],
    ["kafkaPort", "settings: { kafka_port }"],
    ["logLevel", "settings: { log_level }"],
    ["log_levle", "settings: { log_level }"],
    ["data", "storage: { dir }"],
    ["config", "settings"],
    ["log.retention.ms", "topics: { TOPIC: { config: { retention_ms } } }"],
    ["retentionMs", "topics: { TOPIC: { config: { retention_ms } } }"],
    ["auto.create.topics.enable", "settings: { auto_create_topics }"],
    ["log.dirs", "storage: { dir }"],
  ].map(([name = "", meant]): [unknown, string] => [
    { [name]: 1 },
    `startBroker has no option ${name}; did you mean ${meant}? expected brokers, clock,`,
  ]),
  [{ nonsense: 1 }, "startBroker has no option nonsense; expected brokers, clock,"],
  [{ brokers: 0 }, "brokers is 0; expected an integer from 1 to 16"],
  [{ brokers: Number.NaN }, "brokers is NaN"],
  [{ waitTimeoutMs: Number.POSITIVE_INFINITY }, "waitTimeoutMs is Infinity"],
  [{ clock: "auto" }, 'clock is "auto"; did you mean "real"? expected "real" or "manual"'],
  [{ clock: "automatic" }, 'clock is "automatic"; expected "real" or "manual"'],
  [{ clock: "toString" }, 'clock is "toString"; expected "real" or "manual"'],
  [{ storage: "disk" }, 'storage is "disk"; expected "memory" or { dir: "FOLDER" }'],
  [{ storage: { dir: "" } }, 'storage is {"dir":""}'],
  [
    { topics: { orders: "3" } },
    'topics.orders is "3"; expected a number of partitions, from 1 to 1000, or {',
  ],
  [[], "startBroker takes an object of brokers"],
  [new Map(), "startBroker takes an object of brokers"],
  ...[-1, 1.5, 17, "3", null].map((brokers): [unknown, string] => [
    { brokers },
    `brokers is ${typeof brokers === "string" ? '"3"' : brokers}; expected an integer from 1 to 16`,
  ]),
  [{ storage: { dir: "x", x: 1 } }, 'storage has no "x"; expected dir'],
  [{ storage: new Map([["dir", "x"]]) }, 'storage is {}; expected "memory" or {'],
  ...[0, -1, 1.5, Number.NaN, 1_001, [], new Map(), null].map((said): [unknown, string] => [
    { topics: { orders: said } },
    `topics.orders is ${said instanceof Map ? "{}" : Array.isArray(said) ? "[]" : said}; expected a number of partitions, from 1 to 1000, or { partitions, replicationFactor, config }`,
  ]),
  ...[0, -1, 1.5, Number.NaN, 1_001, "3", null].map((partitions): [unknown, string] => [
    { topics: { orders: { partitions } } },
    `topics.orders.partitions is ${typeof partitions === "string" ? '"3"' : partitions}; expected a whole number from 1 to 1000`,
  ]),
  [
    { topics: { orders: { replicationFactor: 0 } } },
    "topics.orders.replicationFactor is 0; expected a whole number from 1 to that of brokers",
  ],
  [
    { topics: { orders: { partition: 3 } } },
    'topics.orders has no "partition"; did you mean partitions? expected partitions, replicationFactor, config',
  ],
  ...[
    ["retention.ms", "config: { retention_ms }"],
    ["retention_ms", "config: { retention_ms }"],
    ["message.max.bytes", "config: { max_message_bytes }"],
    ["numPartitions", "partitions"],
    ["replication_factor", "replicationFactor"],
    ["configEntries", "config"],
  ].map(([name = "", meant]): [unknown, string] => [
    { topics: { orders: { [name]: 1 } } },
    `topics.orders has no "${name}"; did you mean ${meant}? expected partitions,`,
  ]),
  [{ topics: { orders: { topic: "payments" } } }, 'topics.orders has no "topic"'],
  [{ topics: { orders: { config: [] } } }, "topics.orders.config is []; expected an object of settings"],
  ...[null, Number.NaN, [1], {}].map((retention_ms): [unknown, string] => [
    { topics: { orders: { config: { retention_ms } } } },
    "; expected text, a number, true or false",
  ]),
  [{ topics: new Map([["orders", 1]]) }, "topics is {}; expected an object of topics by their names"],
  [{ topics: null }, "topics is null; expected an object of topics by their names"],
  [{ topics: [3] }, "topics is [3]; expected an object"],
  [{ topics: "orders" }, 'topics is "orders"; expected an object'],
  [{ settings: null }, "settings is null; expected an object of settings by their names"],
  [{ settings: ["seed"] }, 'settings is ["seed"]; expected an object'],
  [{ kafka: "no" }, 'kafka is "no"; expected true or false'],
  [{ http: "yes" }, 'http is "yes"; expected true or false'],
  [{ storage: { dir: "x\0y" } }, 'storage is {"dir":"x\\u0000y"}; expected "memory" or {'],
  [{ settings: { data: "./x" } }, "settings.data is an option: startBroker({ storage: { dir } })"],
  [{ settings: { brokers: 3 } }, "settings.brokers is an option: startBroker({ brokers })"],
  [{ settings: { nonsense: 3 } }, "there is no setting nonsense"],
  [
    { settings: { "log.retention.ms": 5 } },
    "there is no setting log.retention.ms of the broker; each topic has it: topics: { TOPIC: { config: { retention_ms } } }",
  ],
  [{ settings: { "num.partitions": 5 } }, "Kafka's num.partitions is auto_create_partitions here"],
  [{ kafka: false, settings: { kafka_port: 0 } }, "settings.kafka_port is for Kafka's clients"],
  [{ waitTimeoutMs: -1 }, "waitTimeoutMs is -1; expected an integer from 0 to 2147483647"],
  [{ settings: { seed: 5 } }, "seed is for a manual clock"],
])("%j is refused before anything is started", async (options, message) => {
  const problem: unknown = await startBroker(options as StartOptions).catch((caught: unknown) => caught);
  expect(problem).toBeInstanceOf(ConfigProblem);
  expect(problem).toMatchObject({ code: "INVALID_CONFIG" });
  expect((problem as Error).message).toContain(message);
});

test.each<[StartOptions, string]>([
  [{ topics: { "no/name": 1 } }, 'topics.no/name: "no/name" has "/"'],
  [{ topics: { "a.b": 1, a_b: 1 } }, 'topics.a_b: "a_b" collides with the topic "a.b"'],
  [
    { topics: { orders: { replicationFactor: 2 } } },
    "topics.orders: replication_factor is 2; expected at most 1",
  ],
  [
    { topics: { orders: { config: { retention: 5 } } } },
    'topics.orders: there is no setting "retention"; did you mean retention_ms? known are',
  ],
  [{ topics: { orders: { config: { retention_ms: "x" } } } }, 'topics.orders: retention_ms is "x"; expected'],
])("a topic that the broker does not take ends the start, by its name: %j", async (options, message) => {
  const before = await held();
  await expect(startBroker(options)).rejects.toMatchObject({
    name: "ConfigProblem",
    code: "INVALID_CONFIG",
    message: expect.stringContaining(message),
  });
  expect(await held()).toEqual(before);
});

test("a port that is taken ends the start, and leaves nothing behind", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const before = await held();
  await expect(startBroker({ settings: { kafka_port: port } })).rejects.toMatchObject({
    name: "AddressUnavailable",
  });
  expect(await held()).toEqual(before);
});

test.each(["/dev/null/x", "/proc/self/status/x", fileURLToPath(import.meta.url)])(
  "a folder that no system can make, or that is a file, is refused in the broker's words: %s",
  async (dir) => {
    const before = await held();
    await expect(startBroker({ storage: { dir } })).rejects.toMatchObject({
      name: "DataFolderRefused",
      code: "DATA_FOLDER_REFUSED",
      reason: "not-a-folder",
      message: expect.stringContaining(dir),
    });
    expect(await held()).toEqual(before);
  },
);

test.each<[StartOptions["topics"], string]>([
  [{ orders: 3 }, "topics.orders has partitions 2 and not 3"],
  [{ orders: { replicationFactor: 2 } }, "topics.orders has replicationFactor 1 and not 2"],
  [
    { orders: { partitions: 2, config: { retention_ms: 5 } } },
    "topics.orders has retention_ms 1000 and not 5",
  ],
  [{ orders: { config: { segment_ms: 7 } } }, "topics.orders has segment_ms undefined and not 7"],
])(
  "a topic that the folder has otherwise is refused, and not started with as it is: %j",
  async (topics, message) => {
    const dir = await mkdtemp(join(tmpdir(), "minikafka-"));
    onTestFinished(() => rm(dir, { recursive: true }));
    const storage = { dir };
    const first = await startBroker({
      storage,
      topics: { orders: { partitions: 2, config: { retention_ms: 1_000 } } },
    });
    await first.client.admin().createTopic({ topic: "others", partitions: 5 });
    await first.close();
    const before = await held();
    await expect(startBroker({ brokers: 2, storage, topics })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: expect.stringContaining(message),
    });
    expect(await held()).toEqual(before);
    const said = {
      orders: { partitions: 2, replicationFactor: 1, config: { retention_ms: "1000" } },
      others: {},
    };
    await using again = await startBroker({ storage, topics: said });
    await again.restart();
    expect(again.kernel.describeTopic("orders").partitions).toBe(2);
  },
);

test("what a test has changed in its topics is no reason against a restart", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  await broker.client.admin().createPartitions("orders", 2);
  await broker.restart();
  expect(broker.kernel.describeTopic("orders").partitions).toBe(2);
});

test("a fixture of node:test that is given no test starts nothing", async () => {
  const before = await held();
  for (const context of [undefined, {}, { after: 5 }])
    await expect(brokerFor(context as never)).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining("in a suite's hooks use startBroker"),
    });
  expect(await held()).toEqual(before);
});

test("views and waits take what they know, and nothing else", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const usage = { code: "USAGE" };
  expect(() => broker.records("orders", { partitions: 0 } as never)).toThrow(
    'records has no "partitions"; expected partition, isolation',
  );
  expect(() => broker.records("payments")).toThrow(expect.objectContaining({ code: "UNKNOWN_TOPIC" }));
  expect(() => broker.records("orders", { partition: 1 })).toThrow(
    expect.objectContaining({ code: "UNKNOWN_PARTITION" }),
  );
  expect(() => broker.partition("orders", 1)).toThrow(expect.objectContaining({ code: "UNKNOWN_PARTITION" }));
  for (const refused of [
    broker.waitForRecords("orders", -1),
    broker.waitForRecords("orders", 1, { timeoutMs: -1 }),
    broker.waitForRecords("orders", 1, { timeoutMs: 2 ** 31 }),
    broker.waitForRecords("orders", 1, { timeout: 5 } as never),
    broker.waitForGroup("billing", { member: 1 } as never),
    broker.waitForGroup("billing", null as never),
    broker.waitUntil("x", () => true, { until: 1 } as never),
    broker.waitUntil("x", () => true, [] as never),
    broker.waitUntil("x", undefined as never),
    broker.waitUntil((() => true) as never, () => true),
    broker.waitUntil("x", () => true, { signal: "now" as never }),
    broker.waitForRecords(5 as never, 1),
    broker.waitForRecords("orders", 1, { partition: "0" as never }),
    broker.waitForRecords("orders", 1, { isolation: "committed" as never }),
    broker.waitForGroup(5 as never),
    broker.waitForGroup("billing", { state: "foo" as never }),
    broker.waitForGroup("billing", { members: -1 }),
    broker.waitForGroup("billing", { drained: "yes" as never }),
    broker.restart({ after: "storm" as never }),
    broker.restart(new Map([["after", "kill"]]) as never),
    broker.waitForRecords("orders", 1, new Map([["timeoutMs", 5]]) as never),
    broker.fault.arm(new Map([["point", "request.fetch"]]) as never),
  ])
    await expect(refused).rejects.toMatchObject(usage);
  for (const look of [
    () => broker.records(5 as never),
    () => broker.records("orders", { partition: Number.NaN }),
    () => broker.partition(5 as never, 0),
    () => broker.partition("orders", "0" as never),
    () => broker.group(5 as never),
  ])
    expect(look).toThrow(expect.objectContaining(usage));
  await expect(broker.waitForGroup("billing", { state: "foo" as never })).rejects.toThrow(
    'state is "foo"; expected empty, reconciling, preparing_rebalance, completing_rebalance, stable',
  );
});

test("what the broker refuses is said in the words of a program, and not of a wire or a command line", async () => {
  await using broker = await startBroker();
  await expect(broker.fault.arm({ point: "kafka.produce", action: "close" })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "point: there is no kafka.produce; did you mean kafka.Produce? list() names all points",
  });
  const manual = expect.stringContaining('(in a program, clock: "manual")');
  for (const asked of [broker.clock.advance(5), broker.client.snapshots().list()])
    await expect(asked).rejects.toMatchObject({ code: "STEPPING_DISABLED", message: manual });
});

test("what takes nothing is given nothing, and does nothing for who gives it something", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  for (const what of ["reset", "close"] as const) {
    const act: (...given: unknown[]) => Promise<void> = broker[what].bind(broker);
    await expect(act({ timeoutMs: 5 })).rejects.toMatchObject({
      code: "USAGE",
      message: `${what} takes nothing, got {"timeoutMs":5}`,
    });
    expect(broker.records("orders")).toEqual([]);
  }
  await broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "a" });
  await (broker.reset as (given: undefined) => Promise<void>).call(broker, undefined);
  expect(broker.records("orders")).toEqual([]);
});

test("the clock takes the options of steps, and nothing else", async () => {
  await using broker = await startBroker({ clock: "manual" });
  const { clock } = broker;
  const before = clock.nowMs;
  await expect(clock.advance(1, 5 as never)).rejects.toMatchObject({ code: "USAGE" });
  await expect(clock.advanceToNextDeadline(1 as never)).rejects.toMatchObject({
    code: "USAGE",
    message: expect.stringContaining("advanceToNextDeadline takes an object of timeoutMs, signal, got 1"),
  });
  const { signal } = new AbortController();
  const aborted = AbortSignal.abort(new Error("enough"));
  await expect(clock.advance(1, { signal: aborted })).rejects.toThrow("enough");
  expect(clock.nowMs).toBe(before);
  expect(await clock.advance(1, { signal })).toBe(before + 1);
});

test("a broker that is closed says so, and is closed once", async () => {
  const broker = await startBroker({ topics: { orders: 1 } });
  await Promise.all([broker.close(), broker.close()]);
  await broker.close();
  const closed = expect.objectContaining({
    code: "CLOSED",
    message: "the broker is closed; start another one",
  });
  for (const look of [
    () => broker.records("orders"),
    () => broker.partition("orders", 0),
    () => broker.group("billing"),
    () => broker.transactions(),
    () => broker.bootstrapServers,
    () => broker.address,
    () => broker.clock.nowMs,
  ])
    expect(look).toThrow(closed);
  await expect(broker.waitForRecords("orders", 0)).rejects.toEqual(closed);
  await expect(broker.reset()).rejects.toEqual(closed);
  await expect(broker.client.admin().listTopics()).rejects.toMatchObject({ code: "CLOSED" });
  await expect(broker.connect()).rejects.toMatchObject({ code: "CONNECTION" });
});
