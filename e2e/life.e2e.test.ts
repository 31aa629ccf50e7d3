import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { runBroker, startDaemon, temporaryFolder } from "./support/daemon.ts";
import { RawSession } from "./support/raw-session.ts";

const produce = { operation: "produce", topic: "orders", value_b64: "dg==", acks: "all" };

test("exactly one line on stdout says that clients can produce, and they can", async () => {
  const daemon = await startDaemon(temporaryFolder());
  const session = await RawSession.open(daemon.port);
  await session.ask({ operation: "create_topic", topic: "orders", partitions: 1 });
  expect(await session.ask(produce)).toMatchObject({ ok: true, offset: 0 });
  const { code, stdout } = await daemon.end("SIGTERM");
  expect(code).toBe(0);
  expect(stdout.split("\n")).toHaveLength(2);
  expect(JSON.parse(stdout)).toEqual({
    msg: "ready",
    host: "127.0.0.1",
    port: daemon.port,
    pid: daemon.pid,
    data: daemon.data,
  });
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "on %s what is in hand is answered, new clients are refused, and it ends with 0",
  async (signal) => {
    const data = temporaryFolder();
    const daemon = await startDaemon(data);
    const session = await RawSession.open(daemon.port);
    await session.ask({ operation: "create_topic", topic: "orders", partitions: 1 });
    session.send(
      `${JSON.stringify({ ...produce, id: "p" })}\n${JSON.stringify({ operation: "fetch", topic: "orders", partition: 0, offset: 1, min_bytes: 1, max_wait_ms: 60_000, id: "f" })}\n`,
    );
    expect(await session.answer()).toMatchObject({ ok: true, id: "p" });
    daemon.signal(signal);
    daemon.signal(signal);
    expect(await session.answer()).toMatchObject({ ok: true, id: "f", records: [] });
    expect(await session.answer()).toBeNull();
    expect((await daemon.ended).code).toBe(0);
    expect(readdirSync(join(data, "broker-1"))).toContain("clean-shutdown");
    // And nothing is scanned or cut at the next start.
    const again = await startDaemon(data, ["--log-level", "debug"]);
    await again.end("SIGTERM");
    expect(again.output.stderr).toMatch(/"clean":true,"msg":"cluster opened"/);
    expect(again.output.stderr).not.toMatch(/"msg":"recovered"|"scannedBytes":[1-9]/);
  },
);

test("a second daemon on the folder is refused and names the holder, until the holder is killed", async () => {
  const data = temporaryFolder();
  const holder = await startDaemon(data);
  const refused = await runBroker(["--data", data, "--port", "0"]);
  expect(refused).toMatchObject({ code: 4, stdout: "" });
  expect(refused.stderr).toMatch(new RegExp(`in use by process ${holder.pid}`));
  const session = await RawSession.open(holder.port);
  expect(await session.ask({ operation: "ping" })).toEqual({ ok: true });
  await holder.end("SIGKILL");
  await (await startDaemon(data)).end("SIGTERM");
});

test("a port that is taken is refused with what to do", async () => {
  const holder = await startDaemon(temporaryFolder());
  const refused = await runBroker(["--data", temporaryFolder(), "--port", String(holder.port)]);
  expect(refused).toMatchObject({ code: 5, stdout: "" });
  expect(refused.stderr).toMatch(/EADDRINUSE[\s\S]*--port/);
});

test("a stop that cannot write everything says what, in a sentence, and ends with 1", async () => {
  const data = temporaryFolder();
  const daemon = await startDaemon(data, ["--log-level", "error"]);
  const session = await RawSession.open(daemon.port);
  await session.ask({ operation: "create_topic", topic: "t", partitions: 1 });
  await session.ask({ operation: "produce", topic: "t", partition: 0, value_b64: "YQ==", acks: "1" });
  rmSync(join(data, "broker-1", "t-0"), { recursive: true });
  const end = await daemon.end("SIGTERM");
  expect(end.code).toBe(1);
  const said = end.stderr.split("\n").find((line) => line.includes("something could not be written")) ?? "";
  expect(JSON.parse(said)).toMatchObject({ level: 50, msg: expect.stringContaining("t-0") });
  expect(said).not.toContain('"stack"');
});

/** Everything in a folder, names and contents, so that "untouched" can be held to it. */
function contents(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry): [string, string] => [
      join(entry.parentPath, entry.name),
      readFileSync(join(entry.parentPath, entry.name), "latin1"),
    ])
    .sort();
}

test.each<[string, (folder: string) => string, RegExp]>([
  [
    "a file",
    (folder) => {
      writeFileSync(join(folder, "f"), "x");
      return join(folder, "f");
    },
    /file|folder/,
  ],
  [
    "a folder of somebody else",
    (folder) => {
      writeFileSync(join(folder, "thesis.txt"), "x");
      return folder;
    },
    /thesis\.txt|not/,
  ],
  [
    "a damaged folder of ours",
    (folder) => {
      writeFileSync(join(folder, "meta.properties.json"), "{");
      writeFileSync(join(folder, "metadata.json"), "{");
      return folder;
    },
    /meta/,
  ],
])("%s is refused as a data folder, plainly, and left untouched", async (_name, prepare, message) => {
  const folder = temporaryFolder();
  const data = prepare(folder);
  const before = contents(folder);
  const refused = await runBroker(["--data", data, "--port", "0"]);
  expect(refused).toMatchObject({ code: 3, stdout: "" });
  expect(refused.stderr).toMatch(message);
  expect(refused.stderr).toMatch(/^error: .*\nhint: .*\n$/);
  expect(contents(folder)).toEqual(before);
});

test("a folder that cannot be written to is refused", async ({ skip }) => {
  skip(process.getuid?.() === 0, "root may write everywhere");
  const data = join(temporaryFolder(), "locked");
  mkdirSync(data);
  chmodSync(data, 0o500);
  expect(await runBroker(["--data", data, "--port", "0"])).toMatchObject({ code: 3 });
});

test("a folder of a newer version is refused by its version and left untouched", async () => {
  const data = temporaryFolder();
  await (await startDaemon(data)).end("SIGTERM");
  const path = join(data, "meta.properties.json");
  const body = readFileSync(path, "utf8")
    .replace(/^.*?("version":.*)\}\n$/s, "$1")
    .replace('"version":1', '"version":99');
  writeFileSync(path, `{"crc32":"${crc32(body).toString(16).padStart(8, "0")}",${body}}\n`);
  const before = contents(data);
  const refused = await runBroker(["--data", data, "--port", "0"]);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toMatch(/newer|99/);
  expect(contents(data)).toEqual(before);
});

test.each([
  [["--port", "kafka"], /port/],
  [["--nope"], /nope/],
  [["--clock", "fast"], /clock/],
  [["surplus"], /arguments/],
])("the flags %j are refused with 2", async (flags, message) => {
  const refused = await runBroker(["--data", temporaryFolder(), ...flags]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(message);
});

test("by default nobody but this machine can connect", async () => {
  const daemon = await startDaemon(temporaryFolder());
  expect(JSON.parse(daemon.output.stdout)).toMatchObject({ host: "127.0.0.1" });
});

test("more connections than are taken are told so, and the others are served", async () => {
  const daemon = await startDaemon(temporaryFolder(), ["--max-connections", "2"]);
  const sessions = [await RawSession.open(daemon.port), await RawSession.open(daemon.port)];
  const surplus = await RawSession.open(daemon.port);
  expect(await surplus.answer()).toMatchObject({ ok: false, code: "TOO_MANY_CONNECTIONS", retriable: true });
  expect(await surplus.answer()).toBeNull();
  for (const session of sessions) expect(await session.ask({ operation: "ping" })).toEqual({ ok: true });
  sessions[0]?.socket.destroy();
  const ok = await new Promise((resolve) => {
    const attempt = () => {
      const socket = connect(daemon.port, "127.0.0.1", () => socket.write('{"operation":"ping"}\n'));
      socket.once("data", (bytes) => {
        socket.destroy();
        if (bytes.toString() === '{"ok":true}\n') resolve(true);
        else setImmediate(attempt);
      });
    };
    attempt();
  });
  expect(ok).toBe(true);
});
