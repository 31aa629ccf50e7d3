/** `trace replay` has a broker of its own, which must not outlive it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { output, startCommand } from "./support/cli.ts";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Its first child process, once it has one. */
async function childOf(pid: number): Promise<number> {
  for (;;) {
    const [child] = textOf(`/proc/${pid}/task/${pid}/children`).split(" ");
    if (child) return Number(child);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A process that has ended and that nobody has looked at yet is gone as well. */
async function gone(pid: number): Promise<void> {
  while (/^State:\s+[^ZX]/m.test(textOf(`/proc/${pid}/status`)))
    await new Promise((resolve) => setImmediate(resolve));
}

test.for(["once", "again and again"])(
  "a replay that is told to end %s while its broker starts leaves no broker behind",
  MINUTE,
  async (often, { skip }) => {
    skip(process.platform !== "linux", "Linux alone tells what children a process has");
    const broker = await startDaemon(temporaryFolder(), ["--log-level", "error", "--clock", "manual"]);
    const path = join(temporaryFolder(), "trace.ndjson");
    await output(broker, ["trace", "-e", "--save", path]);
    const replay = startCommand(null, ["trace", "replay", path, "--check"]);
    const own = await childOf(replay.process.pid ?? 0);
    replay.process.kill("SIGTERM");
    // Signals that come while one waits to be looked at are one with it.
    while (often !== "once" && replay.process.exitCode === null) {
      replay.process.kill("SIGTERM");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await replay.ended).code).toBe(143);
    await gone(own);
  },
);
