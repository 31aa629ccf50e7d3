import { expect, test } from "vitest";
import { command, jsonLines, output } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };

function daemon(...arguments_: string[]): Promise<Daemon> {
  return startDaemon(temporaryFolder(), ["--log-level", "warn", ...arguments_]);
}

/** Values of what a fetch to the end prints. */
async function values(broker: Daemon, ...arguments_: string[]): Promise<string[]> {
  const text = await output(broker, ["fetch", "orders", "-e", "-f", "%v\\n", ...arguments_]);
  return text.split("\n").slice(0, -1);
}

test("what fetch -J prints, produce --jsonl takes, and not a byte is lost on the way", MINUTE, async () => {
  const broker = await daemon();
  await output(broker, ["topics", "create", "from", "to", "-p", "2"]);
  const given = [
    { partition: 0, timestamp: 1, key: null, value: "keyless" },
    { partition: 0, timestamp: 2, key: "", value: "" },
    { partition: 0, timestamp: 3, key: "tombstone", value: null },
    { partition: 1, timestamp: 4, key_b64: "/w==", value_b64: "AP8=" },
    { partition: 1, timestamp: 5, key: "ключ", value: 'line\nbreak \u0000 "quoted" \u2028 🙂' },
    {
      partition: 0,
      timestamp: 1_700_000_000_000,
      key: "k",
      value: "v",
      headers: [
        { key: "twice", value: "1" },
        { key: "", value: "" },
        { key: "absent", value: null },
        { key: "twice", value_b64: "wyg=" },
      ],
    },
  ];
  const input = `${given.map((record) => JSON.stringify(record)).join("\n")}\n`;
  await output(broker, ["produce", "from", "--jsonl"], input);
  const printed = await output(broker, ["fetch", "from", "-e", "-J"]);
  for (const record of given) {
    expect(jsonLines(printed)).toContainEqual(
      expect.objectContaining({ topic: "from", headers: [], ...record }),
    );
  }
  await output(broker, ["produce", "to", "--jsonl"], printed);
  const again = await output(broker, ["fetch", "to", "-e", "-J"]);
  const sorted = (text: string) => text.replaceAll('"topic":"from"', '"topic":"to"').split("\n").sort();
  expect(sorted(again)).toEqual(sorted(printed));
});

test("fetch begins where -o says and ends where -e and -n say", MINUTE, async () => {
  const broker = await daemon();
  await output(broker, ["topics", "create", "orders"]);
  const lines = Array.from({ length: 10 }, (_none, n) => `{"value":"${n}","timestamp":${1_000 + n * 10}}\n`);
  await output(broker, ["produce", "orders", "--jsonl"], lines.join(""));
  const all = lines.map((_line, n) => String(n));
  expect(await values(broker)).toEqual(all);
  expect(await values(broker, "-o", "beginning")).toEqual(all);
  expect(await values(broker, "-o", "end")).toEqual([]);
  expect(await values(broker, "-o", "7")).toEqual(["7", "8", "9"]);
  expect(await values(broker, "-o", "10")).toEqual([]);
  expect(await values(broker, "-o", "-2")).toEqual(["8", "9"]);
  expect(await values(broker, "-o", "-99")).toEqual(all);
  expect(await values(broker, "-o", "@1075")).toEqual(["8", "9"]);
  expect(await values(broker, "-o", "@1970-01-01T00:00:01.080Z")).toEqual(["8", "9"]);
  expect(await values(broker, "-o", "@9999999")).toEqual([]);
  expect(await values(broker, "-n", "3")).toEqual(["0", "1", "2"]);
  expect(await values(broker, "-o", "8", "-n", "99")).toEqual(["8", "9"]);
  expect(await output(broker, ["fetch", "orders", "-n", "1"])).toBe("0\n");
});

test("fetch reads the partitions that are named, or all of them, each in its order", MINUTE, async () => {
  const broker = await daemon();
  await output(broker, ["topics", "create", "orders", "-p", "3"]);
  for (const partition of ["0", "1", "2"]) {
    await output(broker, ["produce", "orders", "-p", partition], `${partition}a\n${partition}b\n`);
  }
  expect(await values(broker, "-p", "1")).toEqual(["1a", "1b"]);
  expect((await values(broker, "-p", "2", "-p", "0")).sort()).toEqual(["0a", "0b", "2a", "2b"]);
  const all = await values(broker);
  expect([...all].sort()).toEqual(["0a", "0b", "1a", "1b", "2a", "2b"]);
  for (const partition of ["0", "1", "2"]) {
    expect(all.indexOf(`${partition}a`)).toBeLessThan(all.indexOf(`${partition}b`));
  }
  expect((await values(broker, "-o", "-1")).sort()).toEqual(["0b", "1b", "2b"]);
});

test("produce makes of its input what its options say", MINUTE, async () => {
  const broker = await daemon();
  await output(broker, ["topics", "create", "orders"]);
  const produced = (arguments_: string[], stdin = "") =>
    output(broker, ["produce", "orders", ...arguments_], stdin);
  expect(await produced(["-K", ":"], "a:1\nb:2:3\r\n")).toBe(
    "partition 0, offset 0\npartition 0, offset 1\n",
  );
  expect(
    jsonLines(await produced(["-J", "-k", "k", "-v", "-q", "-H", "a=1", "-H", "b", "--acks", "all"])),
  ).toEqual([{ topic: "orders", partition: 0, offset: 2, timestamp: expect.any(Number) }]);
  await produced(["-D", "\\0", "-Z"], "x\ny\0\0");
  expect(await produced(["--acks", "0", "-v", "last"])).toBe("partition 0, offset unknown\n");
  expect(await produced([], "")).toBe("");
  const fetched = jsonLines(await output(broker, ["fetch", "orders", "-n", "6", "-J", "--timeout", "20s"]));
  expect(fetched.map(({ key, value }) => [key, value])).toEqual([
    ["a", "1"],
    ["b", "2:3"],
    ["k", "-q"],
    [null, "x\ny"],
    [null, null],
    [null, "last"],
  ]);
  expect(fetched[2]?.headers).toEqual([
    { key: "a", value: "1" },
    { key: "b", value: null },
  ]);
  const format = "%t/%p/%o %k=%v %h%n";
  expect(await output(broker, ["fetch", "orders", "-o", "2", "-n", "1", "-f", format])).toBe(
    "orders/0/2 k=-q a=1,b\n",
  );
  expect(await output(broker, ["fetch", "orders", "-o", "4", "-n", "1", "-Z"])).toBe("NULL\n");
});

test("a bad line ends the command, names itself, and what came before it is there", MINUTE, async () => {
  const broker = await daemon();
  await output(broker, ["topics", "create", "orders"]);
  const lines = await command(
    broker,
    ["produce", "orders", "--jsonl"],
    '{"value":"a"}\n{"value":1}\n{"value":"c"}\n',
  );
  expect(lines).toMatchObject({ code: 2, stdout: "partition 0, offset 0\n" });
  expect(lines.stderr).toContain("error: INVALID_INPUT: line 2: value: expected text or null");
  const large = await command(broker, ["-J", "produce", "orders"], `b\n${"x".repeat(3_000_000)}\n`);
  expect(large).toMatchObject({ code: 2, stdout: expect.stringContaining('"offset":1') });
  expect(JSON.parse(large.stderr)).toMatchObject({
    error: { code: "RECORD_TOO_LARGE", details: { line: 2, produced: 1, failed: 1 } },
  });
  expect(await values(broker)).toEqual(["a", "b"]);
});

test(
  "a script that wants records learns by exit code 3 that there were none, and by 0 that there were",
  MINUTE,
  async () => {
    const broker = await daemon();
    await output(broker, ["topics", "create", "orders"]);
    const readers = [
      ["fetch", "orders", "-e", "--fail-if-empty"],
      ["consume", "orders", "-g", "billing", "-e", "--fail-if-empty"],
    ];
    for (const reader of readers) {
      const { code, stdout, stderr } = await command(broker, reader);
      expect([reader[0], code, stdout]).toEqual([reader[0], 3, ""]);
      expect(stderr).toContain("error: NOT_FOUND: no record of orders was there to be read\n");
      expect((await command(broker, reader.slice(0, -1))).code).toBe(0);
    }
    await output(broker, ["produce", "orders", "-v", "a"]);
    for (const reader of readers) expect(await output(broker, reader)).toBe("a\n");
  },
);
