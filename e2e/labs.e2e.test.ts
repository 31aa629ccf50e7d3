/** The labs of the command line: each over a real daemon, from its first line to its last. */
import { mkdtempSync, readdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { command, output, startCommand } from "./support/cli.ts";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };

const LABS = [
  "high-watermark",
  "acks",
  "in-sync-replicas",
  "old-leader",
  "look-ups",
  "torn-tail",
  "retention-compaction",
  "duplicates",
  "rebalance",
  "last-stable-offset",
];

/** Where the labs make their folders. */
const folder = mkdtempSync(join(tmpdir(), "minikafka-labs-"));

beforeAll(() => {
  vi.stubEnv("TMPDIR", folder);
  // Node keeps it there, which is no leftover of ours.
  vi.stubEnv("NODE_DISABLE_COMPILE_CACHE", "1");
});

afterAll(() => {
  vi.unstubAllEnvs();
  // Whatever a lab had left would be in the way.
  rmdirSync(folder);
});

test.concurrent.for(LABS)(
  "the lab %s comes out as it is told, and leaves no folder behind",
  MINUTE,
  async (name, { expect: told }) => {
    const { code, stdout, stderr } = await command(null, ["lab", "run", name]);
    told({ code, stderr }).toEqual({ code: 0, stderr: "" });
    told(stdout).toMatch(/^\? /m);
  },
);

test("the list has them in the order in which to take them", async () => {
  const { labs } = JSON.parse(await output(null, ["lab", "list", "-J"]));
  expect(labs).toEqual(
    LABS.map((name, index) => ({ number: index + 1, name, title: expect.stringMatching(/./) })),
  );
});

test("with --step each question waits for Enter, and with -J each line is an object", MINUTE, async () => {
  const running = startCommand(null, ["lab", "run", "acks", "--step", "-J"]);
  let asked = 0;
  for (;;) {
    const { type, text } = JSON.parse(await running.nextLine()) as { type: string; text: string };
    if (type === "asked") {
      asked += 1;
      running.process.stdin.write("\n");
    }
    if (text.startsWith("Nothing is lost")) break;
  }
  const { code } = await running.ended;
  expect([code, asked]).toEqual([0, 3]);
});

test(
  "a lab whose reader has seen enough ends silently with 0 while a terminal of it waits",
  MINUTE,
  async () => {
    const running = startCommand(null, ["lab", "run", "acks"]);
    while (!(await running.nextLine()).startsWith("a> "));
    running.process.stdout.destroy();
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  },
);

/** Starts a lab that has a watcher, and reads up to its first question. */
async function atTheFirstQuestion(environment: NodeJS.ProcessEnv = {}) {
  const running = startCommand(null, ["lab", "run", "acks", "--step"], environment);
  while (!(await running.nextLine()).startsWith("?"));
  return running;
}

test(
  "Ctrl-C, which a terminal sends to all that it has started, ends a lab without a complaint",
  MINUTE,
  async () => {
    const running = await atTheFirstQuestion();
    process.kill(-(running.process.pid ?? Number.NaN), "SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stdout + stderr).not.toContain("error:");
  },
);

test("a lab that is killed takes its broker with it", MINUTE, async () => {
  const TMPDIR = temporaryFolder();
  const running = await atTheFirstQuestion({ TMPDIR, NODE_DISABLE_COMPILE_CACHE: "1" });
  running.process.kill("SIGKILL");
  await running.ended;
  const [own = ""] = readdirSync(TMPDIR);
  const [data = ""] = readdirSync(join(TMPDIR, own));
  // It is refused as long as the other one has the folder.
  const another = () => startDaemon(join(TMPDIR, own, data), ["--brokers", "3"]).catch(() => null);
  let found = await another();
  for (let tries = 0; found === null && tries < 50; tries += 1) found = await another();
  expect(found).not.toBeNull();
});

test("a broker that runs already is used when it fits, and is left running", MINUTE, async () => {
  const fits = await startDaemon(temporaryFolder(), [
    "--clock",
    "manual",
    "--brokers",
    "3",
    "--log-level",
    "warn",
  ]);
  const broker = ["--broker", `127.0.0.1:${fits.port}`];
  expect(await command(null, ["lab", "run", "1", ...broker])).toMatchObject({ code: 0 });
  expect(await output(fits, ["topics", "list"])).toContain("orders");
  for (const lab of ["torn-tail", "old-leader"])
    expect(await command(null, ["lab", "run", lab, ...broker])).toMatchObject({ code: 2 });
  // The second time it is not empty any more.
  expect(await command(null, ["lab", "run", "1", ...broker])).toEqual({
    code: 5,
    stdout: "",
    stderr: expect.stringMatching(
      /^error: BROKER_NOT_EMPTY: a lab needs an empty broker: this one has orders\nhint: /,
    ),
  });
});

const MISFITS: readonly (readonly [flags: readonly string[], lab: string, seen: string])[] = [
  [["--brokers", "3"], "look-ups", "it hosts 3 brokers, and the lab is about 1"],
  [["--brokers", "3"], "last-stable-offset", "it hosts 3 brokers, and the lab is about 1"],
  [
    ["--start-time", "1700000000000"],
    "look-ups",
    "its clock stands at 1700000000000, and the lab begins at 0",
  ],
  [["--profile", "original"], "duplicates", "its dial --"],
];

test.for(MISFITS)(
  "a broker started with %j is no broker for %s, which is said before anything is done to it",
  MINUTE,
  async ([flags, lab, seen]) => {
    const other = await startDaemon(temporaryFolder(), [
      "--clock",
      "manual",
      ...flags,
      "--log-level",
      "warn",
    ]);
    const refused = await command(null, ["lab", "run", lab, "--broker", `127.0.0.1:${other.port}`]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(seen);
    expect(await output(other, ["topics", "list"])).not.toMatch(/readings|ledger|orders/);
  },
);

test("what watchers print stands under the command that brought it about", MINUTE, async () => {
  const lines = (await output(null, ["lab", "run", "acks"])).split("\n");
  const done = lines.findIndex((line) => line.includes("produce payments -v ten --acks 1"));
  const next = lines.findIndex((line, index) => index > done && !line.startsWith("    "));
  expect(
    lines.slice(done, next).filter((line) => line.includes("w: ") && line.includes("appended")),
  ).toHaveLength(1);
});

test("one whose clock goes by itself is refused, and so is a lab that there is not", MINUTE, async () => {
  const auto = await startDaemon(temporaryFolder(), ["--log-level", "warn", "--brokers", "3"]);
  const refused = await command(null, ["lab", "run", "1", "--broker", `127.0.0.1:${auto.port}`]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("its clock goes by itself");
  expect(await command(null, ["lab", "run", "eleven"])).toMatchObject({ code: 3 });
});

test("Ctrl-C ends a lab, with its broker and its folder", MINUTE, async () => {
  const running = startCommand(null, ["lab", "run", "high-watermark", "--step"]);
  while (!(await running.nextLine()).startsWith("? "));
  running.process.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});
