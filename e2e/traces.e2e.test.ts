/** Traces that are followed while the cluster works: what is shown and what is saved is what had happened. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@minikafka/client";
import { expect, test } from "vitest";
import { command, output, startCommand } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };

function daemon(): Promise<Daemon> {
  return startDaemon(temporaryFolder(), ["--log-level", "error", "--brokers", "2", "--clock", "manual"]);
}

function linesOf(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** Looks into a file that another process writes, once it has made it, and does `meanwhile` until the text is in it. */
async function untilHolds(path: string, text: string, meanwhile: () => Promise<unknown>): Promise<void> {
  while (!existsSync(path) || !readFileSync(path, "utf8").includes(text)) await meanwhile();
}

test(
  "a trace that is followed while clients work, on the screen and into a file, is the one that is saved afterwards",
  MINUTE,
  async () => {
    const broker = await daemon();
    await output(broker, ["topics", "create", "orders", "-r", "2"]);
    const path = join(temporaryFolder(), "followed.ndjson");
    const shown = startCommand(broker, ["trace", "-J"]);
    const saving = startCommand(broker, ["trace", "--save", path]);
    // The other one begins whenever it does: it tells all from the beginning.
    await shown.nextLine();
    const client = await connect({ broker: `127.0.0.1:${broker.port}` });
    const stepper = client.stepper();
    const producer = client.producer();
    for (let round = 0; round < 40; round += 1) {
      await producer.send({ topic: "orders", value: `record ${round}` });
      await producer.flush();
      await stepper.replicateOnce();
      await stepper.advanceClock(1);
    }
    await client.close();
    await output(broker, ["topics", "create", "the-last-one"]);
    const look = () => output(broker, ["snapshot", "list"]);
    for (let line = ""; !line.includes("the-last-one"); ) line = await shown.nextLine();
    await untilHolds(path, "the-last-one", look);
    // What happens right before Ctrl-C is a part of it as well.
    await output(broker, ["topics", "delete", "the-last-one"]);
    shown.process.kill("SIGINT");
    saving.process.kill("SIGINT");
    const [screen, file] = [await shown.ended, await saving.ended];
    expect([screen.code, file.code]).toEqual([0, 0]);

    const saved = join(temporaryFolder(), "saved.ndjson");
    await output(broker, ["trace", "-e", "--save", saved]);
    const all = linesOf(readFileSync(saved, "utf8")).slice(0, -1);
    const followed = linesOf(readFileSync(path, "utf8")).slice(0, -1);
    const onScreen = linesOf(screen.stdout);
    // The end of the last command's connection may have come behind their last look.
    for (const lines of [followed, onScreen]) expect(lines).toEqual(all.slice(0, lines.length));
    const deletion = all.findIndex((line) => line.includes("delete_topic"));
    const answered = all.findIndex((line, index) => index > deletion && line.startsWith('{"answer"'));
    expect(deletion).toBeGreaterThan(0);
    expect(Math.min(followed.length, onScreen.length)).toBeGreaterThan(answered);
    expect(await command(null, ["trace", "replay", path, "--check"])).toMatchObject({ code: 0 });
  },
);

test("a trace that is followed says at once that its broker is gone", MINUTE, async () => {
  const broker = await daemon();
  await output(broker, ["topics", "create", "orders"]);
  const following = startCommand(broker, ["trace", "--timeout", "24h"]);
  await following.nextLine();
  await broker.end("SIGKILL");
  const { code, stderr } = await following.ended;
  expect([code, stderr]).toEqual([7, expect.stringContaining("error: CONNECTION: cannot connect")]);
});

test(
  "a trace that is saved while a snapshot is loaded begins anew, and is whole: nothing of what was taken back is in it",
  MINUTE,
  async () => {
    const broker = await daemon();
    await output(broker, ["topics", "create", "orders"]);
    await output(broker, ["snapshot", "save", "before"]);
    const path = join(temporaryFolder(), "followed.ndjson");
    const saving = startCommand(broker, ["trace", "--save", path]);
    await output(broker, ["topics", "create", "taken-back"]);
    const look = () => output(broker, ["snapshot", "list"]);
    while (!existsSync(path)) await look();
    await untilHolds(path, "taken-back", look);
    await output(broker, ["snapshot", "load", "before"]);
    await output(broker, ["topics", "create", "kept"]);
    await untilHolds(path, "kept", look);
    saving.process.kill("SIGINT");
    expect(await saving.ended).toMatchObject({ code: 0 });
    const text = readFileSync(path, "utf8");
    expect(text.startsWith('{"minikafka_trace":2')).toBe(true);
    expect(text).not.toContain("taken-back");
    expect(await command(null, ["trace", "replay", path, "--check"])).toMatchObject({ code: 0, stderr: "" });
  },
);
