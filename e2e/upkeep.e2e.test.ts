/** What keeps a log from growing for ever, by command line and SDK: retention, trimming, compaction, and what survives a kill. */
import { connect } from "@minikafka/client";
import { expect, test } from "vitest";
import { command, jsonLines, output } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };
const QUIET = ["--log-level", "warn"];
const MANUAL = [...QUIET, "--clock", "manual", "--start-time", "1700000000000"];

async function produce(
  broker: Daemon,
  topic: string,
  values: readonly string[],
  key?: string,
): Promise<void> {
  for (const value of values)
    await output(broker, ["produce", topic, ...(key === undefined ? [] : ["-k", key]), "-v", value]);
}

/** Every record of partition 0, each as its offset, key and value. */
async function recordsOf(broker: Daemon, topic: string): Promise<unknown[][]> {
  const lines = jsonLines(await output(broker, ["fetch", topic, "-p", "0", "-o", "beginning", "-e", "-J"]));
  return lines.map(({ offset, key, value }) => [offset, key, value]);
}

/** The base offsets of partition 0's segments. */
async function segmentsOf(broker: Daemon, topic: string): Promise<number[]> {
  const [partition] = jsonLines(await output(broker, ["describe", topic, "-p", "0", "-J"]));
  return (partition as { segments: { base_offset: number }[] }).segments.map((each) => each.base_offset);
}

test(
  "what was trimmed stays away after kill -9, and what is below the new start is refused",
  MINUTE,
  async () => {
    const data = temporaryFolder();
    const broker = await startDaemon(data, QUIET);
    await output(broker, ["topics", "create", "orders"]);
    await produce(broker, "orders", ["a", "b", "c", "d"]);
    const trim = ["topics", "trim", "orders", "-p", "0", "--before"];
    expect(await output(broker, [...trim, "2"])).toBe("orders [0] begins at offset 2\n");
    await broker.end("SIGKILL");

    const again = await startDaemon(data, QUIET);
    expect(await recordsOf(again, "orders")).toEqual([
      [2, null, "c"],
      [3, null, "d"],
    ]);
    const below = await command(again, ["fetch", "orders", "-p", "0", "-o", "1", "-e", "-J"]);
    expect(below).toMatchObject({ code: 3, stdout: "" });
    expect(jsonLines(below.stderr)).toMatchObject([
      { error: { code: "OFFSET_OUT_OF_RANGE", details: { log_start_offset: 2, log_end_offset: 4 } } },
    ]);
    expect(await output(again, [...trim, "1"])).toBe("orders [0] begins at offset 2\n");
    expect(await output(again, [...trim, "end", "-J"])).toBe(
      '{"topic":"orders","partition":0,"log_start_offset":4}\n',
    );
    expect(await recordsOf(again, "orders")).toEqual([]);
    await produce(again, "orders", ["e"]);
    expect(await recordsOf(again, "orders")).toEqual([[4, null, "e"]]);
  },
);

test(
  "with a manual clock, retention deletes exactly the segments that are past their time",
  MINUTE,
  async () => {
    const broker = await startDaemon(temporaryFolder(), MANUAL);
    await output(broker, [
      ...["topics", "create", "orders", "-c", "message_timestamp_type=LogAppendTime"],
      ...["-c", "retention_ms=1000"],
    ]);
    for (const value of ["old", "middle", "new"]) {
      await produce(broker, "orders", [value]);
      if (value === "new") continue;
      await output(broker, ["step", "roll", "orders"]);
      await output(broker, ["clock", "advance", "600ms"]);
    }
    expect(await segmentsOf(broker, "orders")).toEqual([0, 1, 2]);
    const text = await output(broker, ["step", "retention", "orders"]);
    expect(text).toMatch(
      /^TOPIC +PARTITION +BROKER +SEGMENT +NEXT-OFFSET +BYTES +REASON\norders +0 +1 +0 +1 +\d+ +time\n$/,
    );
    expect(await segmentsOf(broker, "orders")).toEqual([1, 2]);
    expect(await recordsOf(broker, "orders")).toEqual([
      [1, null, "middle"],
      [2, null, "new"],
    ]);
    const [nothing] = jsonLines(await output(broker, ["step", "retention", "-J"]));
    expect(nothing).toEqual({ closed: [], deleted: [] });

    await output(broker, ["clock", "advance", "1001ms"]);
    const [all] = jsonLines(await output(broker, ["step", "retention", "-J"]));
    expect(all).toMatchObject({
      deleted: [{ base_offset: 1 }, { base_offset: 2, next_offset: 3, reason: "time" }],
    });
    expect(await recordsOf(broker, "orders")).toEqual([]);
    await produce(broker, "orders", ["next"]);
    expect(await recordsOf(broker, "orders")).toEqual([[3, null, "next"]]);
  },
);

test("compaction leaves the latest record of each key, with the offset that it had", MINUTE, async () => {
  const data = temporaryFolder();
  const broker = await startDaemon(data, MANUAL);
  await output(broker, ["topics", "create", "profiles", "-c", "segment_bytes=1024"]);
  await produce(broker, "profiles", ["1", "2"], "alice");
  await produce(broker, "profiles", ["1"], "bob");
  // Taken before the topic is compacted, refused from then on.
  await produce(broker, "profiles", ["keyless"]);
  await output(broker, ["topics", "alter", "profiles", "-c", "cleanup_policy=compact"]);
  const refused = await command(broker, ["produce", "profiles", "-v", "keyless"]);
  expect(refused.stderr).toContain("INVALID_RECORD: record 0 has no key");
  await produce(broker, "profiles", ["3"], "alice");
  // It does not fit, and begins a new segment.
  const last = "4".repeat(1000);
  await produce(broker, "profiles", [last], "bob");
  expect(await output(broker, ["step", "flush"])).toBe("flushed all logs\n");
  expect(await output(broker, ["step", "compact", "profiles"])).toMatch(
    /^TOPIC .*\nprofiles +0 +1 +1->1 +\d+->\d+ +3 +2 +5\n$/,
  );
  const latest = [
    [2, "bob", "1"],
    [3, null, "keyless"],
    [4, "alice", "3"],
    [5, "bob", last],
  ];
  expect(await recordsOf(broker, "profiles")).toEqual(latest);
  const [again] = jsonLines(await output(broker, ["step", "compact", "-J"]));
  expect(again).toEqual({ compacted: [], gave_way: [] });
  await broker.end("SIGKILL");
  expect(await recordsOf(await startDaemon(data, MANUAL), "profiles")).toEqual(latest);
});

test("in auto mode a compacted topic is compacted by itself", MINUTE, async () => {
  const intervals = ["--flush-interval-ms", "20", "--compaction-interval-ms", "20"];
  const broker = await startDaemon(temporaryFolder(), [...QUIET, ...intervals]);
  await output(broker, [
    "topics",
    "create",
    "profiles",
    "-c",
    "cleanup_policy=compact",
    "-c",
    "segment_bytes=1024",
  ]);
  await produce(broker, "profiles", ["1", "2", "3".repeat(1000)], "alice");
  const offsets = async () => (await recordsOf(broker, "profiles")).map(([offset]) => offset);
  await expect.poll(offsets, { timeout: 30_000, interval: 20 }).toEqual([1, 2]);
});

test(
  "a consumer whose place was trimmed goes on at the log's start, or says so when it may not",
  MINUTE,
  async () => {
    const broker = await startDaemon(temporaryFolder(), QUIET);
    const client = await connect({ broker: `127.0.0.1:${broker.port}` });
    const admin = client.admin();
    await admin.createTopic({ topic: "orders" });
    const producer = client.producer();
    for (const value of ["a", "b", "c"]) await producer.send({ topic: "orders", value });
    const place = { topic: "orders", partition: 0 };
    expect(await admin.deleteRecords({ ...place, beforeOffset: 2 })).toBe(2);

    const forgiving = client.consumer({ autoOffsetReset: "earliest" });
    await forgiving.assign([place]);
    await forgiving.seek(place, 0);
    expect(await forgiving.poll({ timeoutMs: 10_000 })).toMatchObject([{ offset: 2 }]);
    const strict = client.consumer({ autoOffsetReset: "error" });
    await strict.assign([place]);
    await strict.seek(place, 0);
    await expect(strict.poll({ timeoutMs: 10_000 })).rejects.toMatchObject({
      code: "OFFSET_OUT_OF_RANGE",
      details: { log_start_offset: 2 },
    });
    expect(await admin.deleteRecords({ ...place, beforeOffset: "highWatermark" })).toBe(3);
    await client.close();
  },
);

test("in auto mode retention is applied by itself", MINUTE, async () => {
  const broker = await startDaemon(temporaryFolder(), [...QUIET, "--retention-interval-ms", "20"]);
  await output(broker, ["topics", "create", "orders", "-c", "retention_ms=0"]);
  await produce(broker, "orders", ["gone soon"]);
  await expect.poll(() => recordsOf(broker, "orders"), { timeout: 30_000, interval: 20 }).toEqual([]);
});

test("what cannot be stepped or trimmed is refused with its exit code and its cause", MINUTE, async () => {
  const auto = await startDaemon(temporaryFolder(), QUIET);
  await output(auto, ["topics", "create", "orders"]);
  await output(auto, ["topics", "create", "profiles", "-c", "cleanup_policy=compact"]);
  await produce(auto, "orders", ["a"]);
  const lab = await startDaemon(temporaryFolder(), [...QUIET, "--lab"]);
  const refusals: [Daemon, string[], number, RegExp][] = [
    [auto, ["step", "roll", "orders"], 5, /STEPPING_DISABLED: /],
    [auto, ["step", "retention"], 5, /STEPPING_DISABLED: /],
    [auto, ["step", "compact"], 5, /STEPPING_DISABLED: /],
    [auto, ["step", "flush"], 5, /STEPPING_DISABLED: /],
    [lab, ["step", "roll", "nowhere"], 3, /UNKNOWN_TOPIC: /],
    [lab, ["step", "retention", "nowhere"], 3, /UNKNOWN_TOPIC: /],
    [lab, ["step", "compact", "nowhere"], 3, /UNKNOWN_TOPIC: /],
    [
      auto,
      ["topics", "trim", "orders", "-p", "0", "--before", "2"],
      3,
      /OFFSET_OUT_OF_RANGE: .* at most 1, the high/,
    ],
    [auto, ["topics", "trim", "orders", "-p", "1", "--before", "0"], 3, /UNKNOWN_PARTITION: /],
    [auto, ["topics", "trim", "orders", "-p", "0", "--before", "-5"], 2, /Expected an offset, or "end"/],
    [auto, ["topics", "trim", "orders", "-p", "0"], 2, /--before/],
    [auto, ["topics", "trim", "profiles", "-p", "0", "--before", "end"], 5, /POLICY_VIOLATION: /],
  ];
  for (const [broker, arguments_, code, message] of refusals) {
    const refused = await command(broker, arguments_);
    expect(refused, arguments_.join(" ")).toMatchObject({ code, stdout: "" });
    expect(refused.stderr).toMatch(message);
  }
  expect(await recordsOf(auto, "orders")).toEqual([[0, null, "a"]]);
});
