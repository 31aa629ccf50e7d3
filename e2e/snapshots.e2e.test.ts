/** Taking an experiment back, keeping a trace of it, and carrying that out once more: as users do. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@minikafka/client";
import { expect, test } from "vitest";
import { command, jsonLines, output } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";
import { folderContents } from "./support/folder-contents.ts";

const MINUTE = { timeout: 60_000 };

function daemon(data = temporaryFolder()): Promise<Daemon> {
  return startDaemon(data, ["--log-level", "error", "--brokers", "3", "--clock", "manual", "--seed", "9"]);
}

/** But what the snapshots say of themselves. */
function clusterFiles(data: string): object {
  const files = Object.entries(folderContents(data)).filter(([path]) => !path.startsWith("snapshots"));
  return Object.fromEntries(files);
}

async function experiment(broker: Daemon): Promise<void> {
  await output(broker, ["topics", "create", "orders", "-r", "3"]);
  await output(broker, ["produce", "orders", "-v", "a"]);
  await output(broker, ["step", "replicate"]);
}

test(
  "a snapshot in the folder survives kill -9, and a load brings back the records, the clock and who is in sync",
  MINUTE,
  async () => {
    const broker = await daemon();
    await experiment(broker);
    await output(broker, ["snapshot", "save", "before", "--folder"]);
    await output(broker, ["clock", "advance", "1h"]);
    await output(broker, ["remove-from-isr", "orders", "3"]);
    await output(broker, ["produce", "orders", "-v", "tried"]);
    const diff = await output(broker, ["snapshot", "diff", "before"]);
    expect(diff).toMatch(/^now_ms: 0 -> 3600000$/m);
    expect(diff).toMatch(/^topics\.orders\.partitions\.0\.log_end_offset: 1 -> 2$/m);
    await broker.end("SIGKILL");

    const next = await daemon(broker.data);
    expect(await output(next, ["fetch", "orders", "-e", "-f", "%v\n"])).toBe("a\ntried\n");
    expect(jsonLines(await output(next, ["snapshot", "list", "-J"]))).toMatchObject([
      { name: "before", keep: "folder", time_ms: 0 },
    ]);
    await output(next, ["snapshot", "load", "before"]);
    const loaded = jsonLines(
      await output(next, ["raw", '{"operation":"describe_partition","topic":"orders","partition":0}']),
    );
    expect(loaded[0]).toMatchObject({ log_end_offset: 1, high_watermark: 1, isr: [1, 2, 3] });
    expect(await output(next, ["snapshot", "diff", "before"])).toBe("");
    await output(next, ["snapshot", "delete", "before"]);
    const unknown = await command(next, ["snapshot", "load", "before"]);
    expect(unknown).toMatchObject({ code: 3, stdout: "" });
    expect(unknown.stderr).toContain("minikafka-cli snapshot list");
  },
);

test(
  "a client goes back and tries another way: what comes then is what would have come at first",
  MINUTE,
  async () => {
    const broker = await daemon();
    const client = await connect({ broker: `127.0.0.1:${broker.port}` });
    const { admin, snapshots, stepper } = {
      admin: client.admin(),
      snapshots: client.snapshots(),
      stepper: client.stepper(),
    };
    await admin.createTopic({ topic: "orders", partitions: 1, replicationFactor: 3 });
    expect(await snapshots.save("fork")).toMatchObject({ name: "fork", keep: "memory" });
    const goOn = async () => {
      await admin.createTopic({ topic: "later", partitions: 2, replicationFactor: 2 });
      return [await stepper.advanceClock(5), await stepper.replicateOnce(), clusterFiles(broker.data)];
    };
    const first = await goOn();
    expect((await snapshots.diff("fork")).length).toBeGreaterThan(0);
    expect(await snapshots.load("fork")).toMatchObject({ difference: null });
    expect(await goOn()).toEqual(first);
    expect((await snapshots.list()).map(({ name }) => name)).toEqual(["fork"]);
    await snapshots.delete("fork");
    await expect(snapshots.load("fork")).rejects.toMatchObject({ code: "UNKNOWN_SNAPSHOT" });
    const { lines, next, end } = await snapshots.history();
    expect([next, end]).toEqual([lines.length, lines.length]);
    await client.close();
  },
);

test(
  "a saved trace, of a folder that held something, comes out the same on a fresh broker; one that was changed shows where",
  MINUTE,
  async () => {
    const first = await daemon();
    await experiment(first);
    await first.end("SIGKILL");
    const broker = await daemon(first.data);
    await output(broker, ["produce", "orders", "-v", "b"]);
    await output(broker, ["groups", "list"]);
    const path = join(temporaryFolder(), "trace.ndjson");
    expect(await output(broker, ["trace", "-e", "--save", path])).toBe("");
    const shown = await output(broker, ["trace", "-e"]);
    expect(shown).toMatch(/^> \d+ \(connection \d+\) \{.*"produce"/m);
    expect(shown).toMatch(/^\. \d+ 1970-01-01T00:00:00\.000Z appended orders\[0\]@/m);
    const checked = await command(null, ["trace", "replay", path, "--check"]);
    expect(checked.stdout).toMatch(/^\d+ entries, and each is as it was\n$/);
    expect(checked.code).toBe(0);

    const text = readFileSync(path, "utf8");
    const otherwise = text.replace(/("kind":"appended".*?"next_offset":)(\d+)/, "$1999");
    writeFileSync(path, otherwise);
    const changed = await command(null, ["trace", "replay", path, "--check"]);
    expect(changed).toMatchObject({
      code: 6,
      stdout: "",
      stderr: expect.stringContaining(`${path} was changed`),
    });
    writeFileSync(path, otherwise.replace(/\{"end":.*\n$/, ""));
    const wrong = await command(null, ["trace", "replay", path, "--check"]);
    expect(wrong.code).toBe(6);
    expect(wrong.stdout).toMatch(/^ {2}was .*"kind":"appended".*"next_offset":999/m);
    expect(wrong.stdout).toMatch(/^ {2}is {2}.*"kind":"appended".*"next_offset":2/m);
    const machine = await command(null, ["trace", "replay", path, "--check", "-J"]);
    expect(jsonLines(machine.stdout)).toMatchObject([
      { difference: { saved: expect.stringContaining("999") } },
    ]);
    // What its writer could not end, or somebody else wrote.
    writeFileSync(path, text.slice(0, -20));
    expect(await command(null, ["trace", "replay", path, "--check"])).toMatchObject({ code: 0 });
    writeFileSync(path, "{}\n");
    expect(await command(null, ["trace", "replay", path])).toMatchObject({ code: 2 });
    expect(await command(null, ["trace", "replay", `${path}.not-there`])).toMatchObject({ code: 3 });
  },
);

test(
  "a trace that is unfinished or damaged is told as such, by the file that the user named",
  MINUTE,
  async () => {
    const broker = await daemon();
    await experiment(broker);
    const path = join(temporaryFolder(), "trace.ndjson");
    await output(broker, ["trace", "-e", "--save", path]);
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -2);
    const replay = async (kept: readonly string[]) => {
      writeFileSync(path, kept.map((line) => `${line}\n`).join(""));
      return command(null, ["trace", "replay", path, "--check"]);
    };
    // The answer to its last request is not in it.
    const asked = lines.findLastIndex((line) => line.startsWith('{"request"'));
    const unfinished = await replay(lines.slice(0, asked + 1));
    expect(unfinished).toMatchObject({ code: 0, stdout: `${asked} entries, and each is as it was\n` });
    expect(unfinished.stderr).toContain("unfinished");
    const first = lines.findIndex((line) => line.startsWith('{"request"'));
    const another = lines.map((line, at) =>
      at === 1 ? line.replace(/"kind":"\w+"/, '"kind":"never"') : line,
    );
    expect(first).toBeGreaterThan(1);
    expect((await replay(another)).stdout).toMatch(/^entry 1 of \d+ is another one:\n/);
    const damaged = await replay([...lines.slice(0, 2), "{}", ...lines.slice(2)]);
    expect(damaged.code).toBe(6);
    expect(damaged.stderr).toContain(`${path} is damaged: line 3: expected a request`);
    expect(damaged.stderr).not.toMatch(/minikafka-replay-|restart/);
    for (const nothing of [[], ["# A page"]]) {
      const refused = await replay(nothing);
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("trace --save FILE writes one"),
      });
      expect(refused.stderr).not.toContain("lines before it");
    }
  },
);
