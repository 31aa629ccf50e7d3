/** What keeps a log from growing for ever, by command line: compaction, and what survives a kill. */
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

test("compaction leaves the latest record of each key, with the offset that it had", MINUTE, async () => {
  const data = temporaryFolder();
  const broker = await startDaemon(data, MANUAL);
  await output(broker, [
    "topics",
    "create",
    "profiles",
    "-c",
    "cleanup_policy=compact",
    "-c",
    "segment_bytes=1024",
  ]);
  await produce(broker, "profiles", ["1", "2"], "alice");
  await produce(broker, "profiles", ["1"], "bob");
  await produce(broker, "profiles", ["keyless"]);
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
  expect(again).toEqual({ compacted: [] });
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

test("what cannot be stepped is refused with its exit code and its cause", MINUTE, async () => {
  const auto = await startDaemon(temporaryFolder(), QUIET);
  const lab = await startDaemon(temporaryFolder(), [...QUIET, "--lab"]);
  const refusals: [Daemon, string[], number, RegExp][] = [
    [auto, ["step", "compact"], 5, /STEPPING_DISABLED: /],
    [auto, ["step", "flush"], 5, /STEPPING_DISABLED: /],
    [lab, ["step", "compact", "nowhere"], 3, /UNKNOWN_TOPIC: /],
  ];
  for (const [broker, arguments_, code, message] of refusals) {
    const refused = await command(broker, arguments_);
    expect(refused, arguments_.join(" ")).toMatchObject({ code, stdout: "" });
    expect(refused.stderr).toMatch(message);
  }
});
