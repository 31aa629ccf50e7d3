import { createServer } from "node:net";
import { expect, test } from "vitest";
import { command, jsonLines, output, processOf } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };

function daemon(...arguments_: string[]): Promise<Daemon> {
  return startDaemon(temporaryFolder(), ["--log-level", "warn", ...arguments_]);
}

/** A broker of which nothing is left but its address. */
async function nobody(): Promise<{ port: number }> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return { port };
}

test("a newcomer's first commands work to the letter", MINUTE, async () => {
  const broker = await daemon();
  const said = async (arguments_: string[], stdin?: string) => {
    const ended = await processOf(broker, arguments_, stdin);
    expect(ended).toMatchObject({ code: 0 });
    return ended.stdout;
  };
  expect(await said(["topics", "create", "orders", "-p", "2"])).toBe(
    "created topic orders, partitions 2, replicas 1\n",
  );
  expect(await said(["produce", "orders", "-k", "alice"], "created\n")).toBe("partition 1, offset 0\n");
  expect(JSON.parse(await said(["fetch", "orders", "-p", "1", "-e", "-J"]))).toMatchObject({
    topic: "orders",
    partition: 1,
    offset: 0,
    key: "alice",
    value: "created",
  });
});

test("topics are created, listed, described and deleted, in text and in JSON", MINUTE, async () => {
  const broker = await daemon();
  const asJson = async (...arguments_: string[]) => jsonLines(await output(broker, ["-J", ...arguments_]));
  expect(await asJson("topics", "list")).toEqual([{ topics: [] }]);
  expect(await asJson("topics", "create", "a", "b", "-p", "3", "-c", "segment.bytes=65536")).toEqual([
    { topic: "a", created: true, partitions: 3, replication_factor: 1 },
    { topic: "b", created: true, partitions: 3, replication_factor: 1 },
  ]);
  expect(await asJson("topics", "create", "a", "--if-not-exists")).toEqual([{ topic: "a", created: false }]);
  expect(await output(broker, ["topics", "list"])).toBe(
    "TOPIC  PARTITIONS  REPLICAS\na      3           1\nb      3           1\n",
  );
  await output(broker, ["produce", "a", "-p", "2", "-v", "x"]);
  expect(await output(broker, ["topics", "describe", "a"])).toMatch(/^a +2 +1 +0 +1 +1 +0 +1 +1 +1$/m);
  expect(await asJson("topics", "describe", "a")).toEqual(await asJson("describe", "a"));
  expect(await asJson("describe", "a")).toMatchObject([
    {
      topics: [{ topic: "a", partitions: [{ log_end_offset: 0 }, {}, { partition: 2, log_end_offset: 1 }] }],
    },
  ]);
  expect(await output(broker, ["topics", "delete", "a"])).toBe("deleted topic a\n");
  expect(await asJson("topics", "delete", "b")).toEqual([{ topic: "b", deleted: true }]);
  expect(await output(broker, ["topics", "list", "-q"])).toBe("");
});

test("the cluster and a partition are described, in text and in JSON", MINUTE, async () => {
  const broker = await daemon("--brokers", "2");
  await output(broker, ["topics", "create", "orders"]);
  expect(await output(broker, ["describe"])).toMatch(/^MODE +auto$[\s\S]*^2 +running +0 +0 +0$/m);
  expect(JSON.parse(await output(broker, ["describe", "-J"]))).toMatchObject({
    topics: 1,
    brokers: [{}, {}],
  });
  const text = await output(broker, ["describe", "orders", "-p", "0"]);
  for (const line of [/^LOG-END +0$/m, /^1 +0 +0 +yes +yes +-$/m, /^SEGMENT +NEXT-OFFSET/m])
    expect(text).toMatch(line);
  expect(JSON.parse(await output(broker, ["describe", "orders", "-p", "0", "-J"]))).toMatchObject({
    topic: "orders",
    partition: 0,
    segments: [{ base_offset: 0, active: true }],
  });
});

test("ping, clock and raw speak text and JSON", MINUTE, async () => {
  const broker = await daemon("--clock", "manual", "--start-time", "1000");
  expect(await output(broker, ["ping"])).toMatch(/^127\.0\.0\.1:\d+ answers: minikafka /);
  expect(JSON.parse(await output(broker, ["ping", "-J"]))).toMatchObject({ name: "minikafka" });
  expect(await output(broker, ["clock"])).toBe("1970-01-01T00:00:01.000Z  1000\n");
  expect(await output(broker, ["clock", "advance", "2s", "-J"])).toBe('{"now_ms":3000}\n');
  expect(await output(broker, ["raw", '{"operation":"ping",\n "id":1}', '{"operation":"clock"}'])).toBe(
    '{"ok":true,"id":1}\n{"ok":true,"now_ms":3000}\n',
  );
  const asked = await command(broker, ["raw", "-J"], '{"operation":"metadata","topic":"x"}\nnot json\n\n');
  expect(jsonLines(asked.stdout)).toMatchObject([{ code: "UNKNOWN_TOPIC" }, { code: "INVALID_REQUEST" }]);
  expect(asked.code).toBe(3);
});

test(
  "each way to fail has its exit code, its error and its hint, and nothing of it is on stdout",
  MINUTE,
  async () => {
    const broker = await daemon();
    await output(broker, ["topics", "create", "orders"]);
    await output(broker, ["produce", "orders", "-v", "x"]);
    const gone = await nobody();
    const cases: readonly [number, string, { port: number }, string[], string?][] = [
      [2, "USAGE", broker, ["topics", "crate"]],
      [2, "INVALID_TOPIC", broker, ["topics", "create", "a/b"]],
      [2, "INVALID_CONFIG", broker, ["topics", "create", "a", "-c", "no.such=1"]],
      [2, "INVALID_INPUT", broker, ["produce", "orders", "--jsonl"], "{}\n"],
      [2, "RECORD_TOO_LARGE", broker, ["produce", "orders"], "x".repeat(3_000_000)],
      [3, "UNKNOWN_TOPIC", broker, ["produce", "nope", "-v", "x"]],
      [3, "UNKNOWN_TOPIC", broker, ["fetch", "nope", "-e"]],
      [3, "UNKNOWN_TOPIC", broker, ["topics", "delete", "nope"]],
      [3, "UNKNOWN_PARTITION", broker, ["fetch", "orders", "-p", "1"]],
      [3, "UNKNOWN_PARTITION", broker, ["produce", "orders", "-p", "1", "-v", "x"]],
      [3, "OFFSET_OUT_OF_RANGE", broker, ["fetch", "orders", "-o", "2", "-e"]],
      [4, "TIMEOUT", broker, ["fetch", "orders", "-o", "end", "--timeout", "50ms"]],
      [5, "TOPIC_ALREADY_EXISTS", broker, ["topics", "create", "orders"]],
      [5, "STEPPING_DISABLED", broker, ["clock", "advance", "1s"]],
      [7, "CONNECTION", gone, ["topics", "list"]],
      [7, "CONNECTION", gone, ["raw", '{"operation":"ping"}']],
    ];
    for (const [exitCode, code, at, arguments_, stdin] of cases) {
      const text = await command(at, arguments_, stdin);
      expect(text, arguments_.join(" ")).toMatchObject({ code: exitCode, stdout: "" });
      expect(text.stderr).toMatch(new RegExp(`^error: ${code}: .+\n(?:hint: .+\n)?$`));
      const json = await command(at, ["-J", ...arguments_], stdin);
      expect(json, arguments_.join(" ")).toMatchObject({ code: exitCode, stdout: "" });
      expect(JSON.parse(json.stderr)).toMatchObject({ error: { code, message: expect.any(String) } });
    }
  },
);

test("the exit code is what the shell sees", MINUTE, async () => {
  const broker = await daemon();
  const codes = [
    [broker, "fetch"],
    [broker, "fetch", "nope", "-e"],
    [broker, "clock", "advance", "1s"],
    [await nobody(), "ping"],
  ] as const;
  const ended = await Promise.all(codes.map(([at, ...arguments_]) => processOf(at, arguments_)));
  expect(ended.map(({ code }) => code)).toEqual([2, 3, 5, 7]);
});

test("a broker that takes connections and says nothing is a time-out, not for ever", MINUTE, async () => {
  const server = createServer((socket) => socket.on("error", () => undefined).resume());
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  for (const arguments_ of [
    ["topics", "list"],
    ["raw", '{"operation":"ping"}'],
    ["fetch", "orders", "-e"],
  ]) {
    const ended = await command({ port }, [...arguments_, "--timeout", "100ms"]);
    expect(ended, arguments_.join(" ")).toMatchObject({ code: 4, stdout: "" });
    expect(ended.stderr).toMatch(/^error: TIMEOUT: /);
  }
  server.close();
});

test("options of every command stand before it, within it and after it", MINUTE, async () => {
  const { port } = await daemon();
  const at = ["-b", `127.0.0.1:${port}`];
  const expected = '{"topics":[]}\n';
  expect(await output(null, [...at, "-J", "topics", "list"])).toBe(expected);
  expect(await output(null, ["topics", ...at, "-J", "list"])).toBe(expected);
  expect(await output(null, ["topics", "list", "-J", ...at])).toBe(expected);
  expect(await output(null, ["--json", "topics", "list", `--broker=127.0.0.1:${port}`])).toBe(expected);
  expect(await output(await nobody(), ["topics", "list", "-J", ...at])).toBe(expected);
});
