/** `bench` beside a real broker: what it prints, where it stops, and that nothing of it stays. */
import { once } from "node:events";
import { readdirSync, watch } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { command, jsonLines, output, startCommand } from "./support/cli.ts";
import { temporaryFolder } from "./support/daemon.ts";
import { startStated } from "./support/stated-broker.ts";

const LINE =
  /^(\d+) records (sent|fetched|sent and received), [\d.]+ records\/sec \([\d.]+ MB\/sec\), [\d.]+ ms avg latency, [\d.]+ ms max latency, [\d.]+ ms 50th, [\d.]+ ms 95th, [\d.]+ ms 99th, [\d.]+ ms 99\.9th\.\n$/;

function broker(flags = "") {
  return startStated(`minikafka-broker --data ./data ${flags}`.trim(), temporaryFolder());
}

async function topicsOf(at: { port: number }): Promise<unknown> {
  return JSON.parse(await output(at, ["topics", "list", "-J"])).topics;
}

test.for([
  [["produce", "--records", "300"], "300", "sent"],
  [["produce", "--records", "300", "--idempotent", "-p", "3", "--compression", "gzip"], "300", "sent"],
  [["produce", "--records", "30", "--acks", "0", "--record-size", "1"], "30", "sent"],
  [["fetch", "--records", "300", "-p", "2", "--fetch-size", "4096"], "300", "fetched"],
  [["produce", "--records", "4", "--record-size", "300000", "--batch-size", "1"], "4", "sent"],
  [["e2e", "--records", "5", "--acks", "all"], "5", "sent and received"],
] as const)(
  "bench %s tells what it measured in one line, and leaves no topic behind",
  async ([words, count, verb]) => {
    const at = await broker();
    const { code, stdout, stderr } = await command(at, ["bench", ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(LINE.exec(stdout)?.slice(1, 3)).toEqual([count, verb]);
    expect(await topicsOf(at)).toEqual([]);
  },
);

const COUNTED =
  /^(\d+) (joins|starts) in [\d.]+ s, [\d.]+ ms avg latency, [\d.]+ ms max latency, [\d.]+ ms 50th, [\d.]+ ms 95th, [\d.]+ ms 99th, [\d.]+ ms 99\.9th\.\n$/;

test.for(["0", "2"])(
  "joins beside %s members are told in one line, and neither topic nor group stays",
  async (members) => {
    const at = await broker();
    const words = ["--joins", "3", "--members", members, "--heartbeat", "20ms"];
    const { code, stdout, stderr } = await command(at, ["bench", "groups", ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(COUNTED.exec(stdout)?.slice(1, 3)).toEqual(["3", "joins"]);
    const [told] = jsonLines(await output(at, ["bench", "groups", ...words, "-J"]));
    expect(told).toMatchObject({
      ...{ bench: "groups", members: Number(members), partitions: 12, heartbeat_ms: 20, joins: 3 },
      latency_ms: { avg: expect.any(Number), p99_9: expect.any(Number) },
    });
    expect(await topicsOf(at)).toMatchObject([{ topic: "__consumer_offsets" }]);
    expect(JSON.parse(await output(at, ["groups", "list", "-J"])).groups).toEqual([]);
  },
);

test("a member that gets no partitions ends it with that, after what was measured, and leaves no group", async () => {
  const at = await broker("--lab");
  const order = ["request.join_group", "error", "--code", "GROUP_MAX_SIZE_REACHED", "--nth", "3"];
  await output(at, ["fault", "arm", ...order]);
  const { code, stdout, stderr } = await command(at, ["bench", "groups", "--heartbeat", "20ms"]);
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("GROUP_MAX_SIZE_REACHED")]);
  expect(code).not.toBe(0);
  expect(stdout).toMatch(/^1 join in /);
  expect(JSON.parse(await output(at, ["groups", "list", "-J"])).groups).toEqual([]);
});

/** Its temporary folders are made in the folder, where nobody else makes any. */
function startBench(...words: readonly string[]) {
  const folder = temporaryFolder();
  return {
    folder,
    running: startCommand(null, ["bench", "start", ...words], {
      TMPDIR: folder,
      NODE_DISABLE_COMPILE_CACHE: "1",
    }),
  };
}

test("starts of a broker of its own are told in one line, or in numbers, and no folder of theirs stays", async () => {
  const line = startBench("--starts", "2");
  const { code, stdout, stderr } = await line.running.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(COUNTED.exec(stdout)?.slice(1, 3)).toEqual(["2", "starts"]);
  expect(readdirSync(line.folder)).toEqual([]);
  const document = await startBench("--starts", "1", "--brokers", "2", "--acks", "all", "-J").running.ended;
  expect(jsonLines(document.stdout)).toMatchObject([
    { bench: "start", acks: "all", brokers: 2, starts: 1, latency_ms: { max: expect.any(Number) } },
  ]);
});

test("Ctrl-C ends a start that is under way, with its broker and its folder", async () => {
  const { folder, running } = startBench("--seconds", "1000");
  const watcher = watch(folder);
  onTestFinished(() => watcher.close());
  await once(watcher, "change");
  running.process.kill("SIGINT");
  const { code, stdout } = await running.ended;
  expect([code, stdout]).toEqual([130, "0 starts in 0.00 s.\n"]);
  expect(readdirSync(folder)).toEqual([]);
});

test("a broker that runs has no starts to be measured", async () => {
  const { code, stderr } = await command(null, ["bench", "start", "-b", "127.0.0.1:1"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("bench start has brokers of its own")]);
});

test("a topic that is named stays, is read from its beginning to its end, which is told where nothing is there, and -J has the numbers", async () => {
  const at = await broker();
  await output(at, ["topics", "create", "orders", "-p", "2"]);
  const early = await command(at, ["bench", "fetch", "-t", "orders"]);
  expect([early.code, early.stderr]).toEqual([0, expect.stringContaining("the topic is empty")]);
  const [produced] = jsonLines(
    await output(at, ["bench", "produce", "-t", "orders", "--records", "200", "-J"]),
  );
  expect(produced).toEqual({
    bench: "produce",
    topic: "orders",
    records: 200,
    bytes: 20_000,
    seconds: expect.any(Number),
    records_per_second: expect.any(Number),
    mb_per_second: expect.any(Number),
    latency_ms: Object.fromEntries(
      ["avg", "max", "p50", "p95", "p99", "p99_9"].map((name) => [name, expect.any(Number)]),
    ),
  });
  const fetched = jsonLines(await output(at, ["bench", "fetch", "-t", "orders", "-J"]));
  expect(fetched).toMatchObject([{ bench: "fetch", topic: "orders", records: 200, bytes: 20_000 }]);
  expect(await topicsOf(at)).toMatchObject([{ topic: "orders" }]);
});

test("Ctrl-C prints what was measured up to then, and deletes the topic", async () => {
  const at = await broker();
  const moved = new Promise<void>((resolve) => {
    at.broker.onEvent((event) => event.kind === "high_watermark_moved" && resolve());
  });
  const running = startCommand(at, ["bench", "produce", "--seconds", "1000", "--throughput", "100"]);
  await moved;
  running.process.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
  expect(stdout).toMatch(/^\d+ records sent, /);
  expect(await topicsOf(at)).toEqual([]);
});

test("a record that is refused ends it with that error, after what was measured, and without its topic", async () => {
  const at = await broker("--lab");
  const order = ["request.produce", "error", "--code", "INVALID_RECORD", "--nth", "3"];
  await output(at, ["fault", "arm", ...order]);
  const { code, stdout, stderr } = await command(at, [
    "bench",
    "produce",
    ...["--records", "1000", "--batch-size", "1000"],
  ]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^error: INVALID_RECORD: /) });
  expect(stdout).toMatch(/^\d+ records sent, /);
  expect(await topicsOf(at)).toEqual([]);
});

test("a time between heartbeats that no member can have is refused by the option's name, before anything is asked", async () => {
  const nobody = { port: 1 };
  for (const heartbeat of ["0ms", "10h"]) {
    const { code, stderr } = await command(nobody, ["bench", "groups", "--heartbeat", heartbeat]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("--heartbeat") });
  }
});

test("a topic that is not there is told, and none is made", async () => {
  const at = await broker();
  for (const what of ["produce", "fetch", "e2e"]) {
    const { code, stdout, stderr } = await command(at, ["bench", what, "-t", "nobody", "--records", "1"]);
    expect([what, code, stdout]).toEqual([what, 3, ""]);
    expect(stderr).toContain("UNKNOWN_TOPIC");
  }
  expect(await topicsOf(at)).toEqual([]);
});
