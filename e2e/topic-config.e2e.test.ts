/** Settings of a topic, by command line and SDK: shown, changed while in use, and still there after a kill. */
import { connect } from "@minikafka/client";
import { expect, test } from "vitest";
import { command, jsonLines, output } from "./support/cli.ts";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };
const QUIET = ["--log-level", "warn"];

/** The settings that the topic has of its own. */
async function ownConfig(broker: { readonly port: number }): Promise<object> {
  const [document] = jsonLines(await output(broker, ["topics", "config", "orders", "-J"]));
  const entries = (document as { config: { name: string; value: unknown; source: string }[] }).config;
  return Object.fromEntries(
    entries.filter(({ source }) => source === "topic").map(({ name, value }) => [name, value]),
  );
}

test("settings are shown and altered by the command line, in Kafka's spelling as well", MINUTE, async () => {
  const broker = await startDaemon(temporaryFolder(), QUIET);
  await output(broker, [
    "topics",
    "create",
    "orders",
    "-c",
    "retention.ms=1000",
    "-c",
    "cleanup_policy=compact",
  ]);
  expect(await ownConfig(broker)).toEqual({ retention_ms: 1000, cleanup_policy: "compact" });
  const text = await output(broker, [
    "topics",
    "alter",
    "orders",
    "-c",
    "segment.ms=60000",
    "-c",
    "min_cleanable_dirty_ratio=0.25",
    "--unset",
    "retention.ms",
  ]);
  expect(text).toMatch(/^SETTING +VALUE +SOURCE +MEANING\n/);
  expect(text).toMatch(/\nretention_ms +604800000 +default +how old/);
  expect(text).toMatch(/\nsegment_ms +60000 +topic +how old/);
  expect(await ownConfig(broker)).toEqual({
    cleanup_policy: "compact",
    segment_ms: 60_000,
    min_cleanable_dirty_ratio: 0.25,
  });
});

test(
  "what cannot be used is refused with its exit code, names its cause, and changes nothing",
  MINUTE,
  async () => {
    const broker = await startDaemon(temporaryFolder(), QUIET);
    await output(broker, ["topics", "create", "orders"]);
    const refusals: [string[], number, RegExp][] = [
      [
        ["alter", "orders", "-c", "segment_ms=5", "-c", "retention_ms=-2"],
        2,
        /INVALID_CONFIG: retention_ms is -2; /,
      ],
      [
        ["alter", "orders", "-c", "nonsense=1"],
        2,
        /INVALID_CONFIG: there is no setting "nonsense"; known are /,
      ],
      [["alter", "nowhere", "-c", "segment_ms=5"], 3, /UNKNOWN_TOPIC: /],
      [["config", "nowhere"], 3, /UNKNOWN_TOPIC: /],
      [["alter", "orders"], 2, /USAGE: nothing to change; /],
      [
        ["alter", "orders", "-c", "segment_ms=5", "--unset", "segment.ms"],
        2,
        /USAGE: segment_ms is given a value/,
      ],
      [["alter", "orders", "-c", "__proto__=1"], 2, /INVALID_REQUEST: .*__proto__/],
      [["alter", "orders", "--unset", "__proto__"], 2, /INVALID_REQUEST: .*__proto__/],
      [["alter", "orders", "-c", "segment_ms=5", "-c", "segment.ms=6"], 2, /segment_ms is given twice/],
      [["alter", "orders", "--unset", "=5"], 2, /Expected a setting's name/],
    ];
    for (const [arguments_, code, message] of refusals) {
      const refused = await command(broker, ["topics", ...arguments_]);
      expect(refused, arguments_.join(" ")).toMatchObject({ code, stdout: "" });
      expect(refused.stderr).toMatch(message);
    }
    expect(await ownConfig(broker)).toEqual({});
  },
);

test("a change that was answered survives kill -9", MINUTE, async () => {
  const data = temporaryFolder();
  const broker = await startDaemon(data, QUIET);
  await output(broker, ["topics", "create", "orders", "-c", "retention_ms=1000"]);
  await output(broker, [
    "topics",
    "alter",
    "orders",
    "-c",
    "max_message_bytes=1000",
    "--unset",
    "retention_ms",
  ]);
  await broker.end("SIGKILL");
  const again = await startDaemon(data, QUIET);
  expect(await ownConfig(again)).toEqual({ max_message_bytes: 1000 });
  expect(await command(again, ["produce", "orders", "-v", "x".repeat(2000)])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("RECORD_TOO_LARGE"),
  });
});

test("with LogAppendTime a producer and a consumer are told the broker's time", MINUTE, async () => {
  const startMs = 1_700_000_000_000;
  const manual = ["--clock", "manual", "--start-time", String(startMs)];
  const broker = await startDaemon(temporaryFolder(), [...QUIET, ...manual]);
  const client = await connect({ broker: `127.0.0.1:${broker.port}` });
  await client
    .admin()
    .createTopic({ topic: "orders", config: { message_timestamp_type: "LogAppendTime", retention_ms: -1 } });
  const producer = client.producer();
  expect(await producer.send({ topic: "orders", value: "created", timestampMs: 5 })).toMatchObject({
    offset: 0,
    timestampMs: startMs,
  });
  const consumer = client.consumer({ autoOffsetReset: "earliest" });
  await consumer.assign([{ topic: "orders", partition: 0 }]);
  expect(await consumer.poll({ timeoutMs: 0 })).toMatchObject([
    { offset: 0, timestampMs: startMs, timestampType: "append" },
  ]);
  await client.close();
  const fetched = await output(broker, ["fetch", "orders", "-p", "0", "-o", "beginning", "-e", "-J"]);
  expect(jsonLines(fetched)).toMatchObject([
    { timestamp: startMs, timestampType: "append", value: "created" },
  ]);
  expect(await output(broker, ["produce", "orders", "--jsonl", "-J"], fetched)).toContain('"offset":1');
  const dumped = await output(broker, ["log", "dump", "orders", "-p", "0", "--records"]);
  expect(dumped).toMatch(
    new RegExp(` LogAppendTime: ${startMs} size: .*\n\\| offset: 0 LogAppendTime: ${startMs} `),
  );
});

test(
  "a request that is refused for a name in it fails alone: the link and all that is under way on it go on",
  MINUTE,
  async () => {
    const broker = await startDaemon(temporaryFolder(), QUIET);
    const client = await connect({ broker: `127.0.0.1:${broker.port}` });
    const admin = client.admin();
    await admin.createTopic({ topic: "orders" });
    const producer = client.producer({ acks: "all" });
    const config = JSON.parse('{"__proto__":1}');
    const [before, altered, created, after] = await Promise.allSettled([
      producer.send({ topic: "orders", value: "a" }),
      admin.alterConfig("orders", config),
      admin.createTopic({ topic: "others", config }),
      admin.listTopics(),
    ]);
    for (const refused of [altered, created])
      expect(refused).toMatchObject({ status: "rejected", reason: { code: "INVALID_REQUEST" } });
    expect(before).toMatchObject({ status: "fulfilled", value: { offset: 0 } });
    expect(after).toMatchObject({ status: "fulfilled", value: [{ topic: "orders" }] });
    await client.close();
  },
);

test("a topic grows: what was sent stays, and the new partitions take records", MINUTE, async () => {
  const broker = await startDaemon(temporaryFolder(), QUIET);
  await output(broker, ["topics", "create", "orders"]);
  await output(broker, ["produce", "orders", "--acks", "all"], "first\n");
  expect(await output(broker, ["topics", "grow", "orders", "-p", "3"])).toBe("orders has 3 partitions\n");
  const refused = await command(broker, ["topics", "grow", "orders", "-p", "2"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /INVALID_CONFIG.*partitions is 2; expected a whole number, 4 to 1000, since the topic has 3 already$/m,
  );
  await broker.end("SIGKILL");
  const again = await startDaemon(broker.data, QUIET);
  await output(again, ["produce", "orders", "-p", "2"], "last\n");
  expect(await output(again, ["fetch", "orders", "-p", "0", "-o", "beginning", "-e"])).toContain("first");
  expect(await output(again, ["fetch", "orders", "-p", "2", "-o", "beginning", "-e"])).toContain("last");
});

test("offsets are told of an end and of a time, in a table and as JSON", MINUTE, async () => {
  const manual = ["--clock", "manual", "--start-time", "1700000000000"];
  const broker = await startDaemon(temporaryFolder(), [...QUIET, ...manual]);
  await output(broker, ["topics", "create", "orders", "-p", "2"]);
  await output(
    broker,
    ["raw"],
    '{"operation":"produce","topic":"orders","partition":1,"value_b64":"YQ=="}\n',
  );
  expect(await output(broker, ["topics", "offsets", "orders"])).toMatch(
    /^TOPIC +PARTITION +OFFSET +TIME\norders +0 +0 .*\norders +1 +1 .*\n$/,
  );
  const told = async (...arguments_: string[]) =>
    jsonLines(await output(broker, ["topics", "offsets", "orders", ...arguments_, "-J"]))[0];
  const found = { offset: 0, timestamp_ms: 1_700_000_000_000 };
  expect(await told("--at", "@1600000000000")).toEqual({
    offsets: [
      { topic: "orders", partition: 0, offset: null, timestamp_ms: null },
      { topic: "orders", partition: 1, ...found },
    ],
  });
  expect(await told("-p", "1", "--at", "beginning")).toMatchObject({
    offsets: [{ partition: 1, offset: 0 }],
  });
  for (const [arguments_, code] of [
    [["nowhere"], 3],
    [["orders", "-p", "2"], 3],
    [["orders", "--at", "5"], 2],
  ] as const)
    expect(await command(broker, ["topics", "offsets", ...arguments_])).toMatchObject({ code, stdout: "" });
});
