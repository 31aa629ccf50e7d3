import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, test } from "vitest";
import { output, type RunningCommand, startCommand } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTES = { timeout: 120_000 };

async function daemonWithTopic(): Promise<Daemon> {
  const broker = await startDaemon(temporaryFolder(), ["--log-level", "warn"]);
  await output(broker, ["topics", "create", "orders"]);
  return broker;
}

/** `count` lines, made as they are read. */
function lines(count: number, text: (n: number) => string): Readable {
  const LINES_PER_CHUNK = 500;
  return Readable.from(
    (function* () {
      for (let start = 0; start < count; start += LINES_PER_CHUNK) {
        const length = Math.min(LINES_PER_CHUNK, count - start);
        yield Buffer.from(Array.from({ length }, (_none, n) => `${text(start + n)}\n`).join(""));
      }
    })(),
  );
}

/** Reads a little and goes away, as `head -1` does. */
async function headOf(running: RunningCommand): Promise<void> {
  await running.nextLine();
  running.process.stdout.destroy();
}

async function logEndOffset(broker: Daemon): Promise<number> {
  const described = await output(broker, ["describe", "orders", "-p", "0", "-J"]);
  return (JSON.parse(described) as { log_end_offset: number }).log_end_offset;
}

test(
  "a fetch whose reader has seen enough ends silently with 0, in text, in JSON and following",
  MINUTES,
  async () => {
    const broker = await daemonWithTopic();
    await output(broker, ["produce", "orders"], `${"x".repeat(100)}\n`.repeat(20_000));
    for (const arguments_ of [["-e"], ["-e", "-J"], []]) {
      const fetch = startCommand(broker, ["fetch", "orders", ...arguments_]);
      await headOf(fetch);
      expect(await fetch.ended, arguments_.join(" ")).toMatchObject({ code: 0, stderr: "" });
    }
  },
);

test("a help page whose reader has seen enough ends silently with 0", MINUTES, async () => {
  const help = startCommand(null, ["--help"]);
  help.process.stdout.destroy();
  expect(await help.ended).toMatchObject({ code: 0, stderr: "" });
});

test("a produce whose reader has seen enough still produces all of its input", MINUTES, async () => {
  const broker = await daemonWithTopic();
  const produce = startCommand(broker, ["produce", "orders"]);
  const fed = pipeline(
    lines(20_000, (n) => `${n}`),
    produce.process.stdin,
  );
  await headOf(produce);
  await fed;
  expect(await produce.ended).toMatchObject({ code: 0, stderr: "" });
  expect(await logEndOffset(broker)).toBe(20_000);
});

test("a raw session whose reader has seen enough ends silently with 0", MINUTES, async () => {
  const broker = await daemonWithTopic();
  const raw = startCommand(broker, ["raw"]);
  raw.process.stdin.write('{"operation":"ping"}\n');
  await headOf(raw);
  raw.process.stdin.end('{"operation":"hello"}\n'.repeat(1_000));
  expect(await raw.ended).toMatchObject({ code: 0, stderr: "" });
});

test(
  "a hundred thousand lines go through a bounded memory, in order, each with its receipt",
  MINUTES,
  async () => {
    const broker = await daemonWithTopic();
    const COUNT = 100_000;
    const PADDING = "x".repeat(990);
    const measured =
      "process.on('exit', () => process.stderr.write('rss=' + process.resourceUsage().maxRSS))";
    const nodeOptions = `--import=data:text/javascript,${encodeURIComponent(measured)}`;
    const produce = startCommand(broker, ["produce", "orders"], { NODE_OPTIONS: nodeOptions });
    await pipeline(
      lines(COUNT, (n) => `${String(n).padStart(6, "0")} ${PADDING}`),
      produce.process.stdin,
    );
    const { code, stdout, stderr } = await produce.ended;
    expect(code).toBe(0);
    const receipts = Array.from({ length: COUNT }, (_none, n) => `partition 0, offset ${n}\n`).join("");
    expect(stdout === receipts, "each line has its receipt").toBe(true);
    // The input alone is 100 MB, as records with their receipts several times that. Node itself takes some 60, and what is
    // under way 32; Node 24 was seen at 231, Node 20 at 169.
    const peakMegabytes = Number(stderr.split("rss=")[1]) / 1024;
    expect(peakMegabytes).toBeLessThan(300);
    const fetched = await output(broker, ["fetch", "orders", "-e", "-f", "%o %v\\n"]);
    const wrong = fetched
      .split("\n")
      .findIndex((line, n) => n < COUNT && !line.startsWith(`${n} ${String(n).padStart(6, "0")} x`));
    expect(wrong).toBe(-1);
  },
);

test(
  "a record that is typed is there before the next one is, and Ctrl-C then ends with 130",
  MINUTES,
  async () => {
    const broker = await daemonWithTopic();
    const produce = startCommand(broker, ["produce", "orders"]);
    for (const offset of [0, 1]) {
      produce.process.stdin.write("typed\n");
      expect(await produce.nextLine()).toBe(`partition 0, offset ${offset}`);
    }
    produce.process.kill("SIGINT");
    expect(await produce.ended).toMatchObject({ code: 130, stderr: "" });
  },
);

test("a fetch without an end prints what comes, until Ctrl-C ends it with 130", MINUTES, async () => {
  const broker = await daemonWithTopic();
  await output(broker, ["produce", "orders", "-v", "first"]);
  const fetch = startCommand(broker, ["fetch", "orders"]);
  expect(await fetch.nextLine()).toBe("first");
  await output(broker, ["produce", "orders", "-v", "second"]);
  expect(await fetch.nextLine()).toBe("second");
  fetch.process.kill("SIGINT");
  expect(await fetch.ended).toMatchObject({ code: 130, stderr: "" });
});

test("a fetch outlives a restart of its broker, and not its end", MINUTES, async () => {
  const broker = await daemonWithTopic();
  await output(broker, ["produce", "orders", "-v", "first"]);
  const fetch = startCommand(broker, ["fetch", "orders", "-q"]);
  expect(await fetch.nextLine()).toBe("first");
  await broker.end("SIGTERM");
  const again = await startDaemon(broker.data, ["--port", String(broker.port), "--log-level", "warn"]);
  await output(again, ["produce", "orders", "-v", "second"]);
  expect(await fetch.nextLine()).toBe("second");
  fetch.process.kill("SIGINT");
  expect(await fetch.ended).toMatchObject({ code: 130 });
  const impatient = startCommand(again, ["fetch", "orders", "-q", "--timeout", "3s"]);
  await impatient.nextLine();
  await again.end("SIGKILL");
  const ended = await impatient.ended;
  expect(ended.stderr).toMatch(/^error: CONNECTION: /);
  expect(ended.code).toBe(7);
});
