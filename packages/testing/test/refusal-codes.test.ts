/** The README's table of refusals: each code that it names comes, by the class that it names, and no reason of a data folder is missing. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DataFolderRefused } from "@minikafka/core";
import { expect, onTestFinished, test } from "vitest";
import { startBroker } from "../src/index.ts";

/** The first three cells of each row. */
async function tableOfRefusals(): Promise<string[][]> {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const rows =
    (readme.split("\n## What it refuses\n")[1] ?? "").split("\n## ")[0]?.match(/^\| `[A-Z].*\|$/gm) ?? [];
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, 4)
      .map((cell) => cell.trim()),
  );
}

async function takenPort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  onTestFinished(() => void taken.close());
  return (taken.address() as { port: number }).port;
}

async function folderOfOthers(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "minikafka-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "thesis.txt"), "chapter 1");
  return dir;
}

/** A call that is refused so. */
const REFUSED: { readonly [code: string]: () => Promise<unknown> } = {
  INVALID_CONFIG: () => startBroker({ brokers: 0 }),
  DATA_FOLDER_REFUSED: async () => startBroker({ storage: { dir: await folderOfOthers() } }),
  EADDRINUSE: async () => startBroker({ settings: { port: await takenPort() } }),
  WAIT_TIMED_OUT: async () => {
    await using broker = await startBroker();
    await broker.waitForRecords("orders", 1, { timeoutMs: 1 });
  },
  USAGE: async () => {
    await using broker = await startBroker();
    await broker.waitUntil("nothing", (async () => true) as never);
  },
  CRASHED: async () => {
    await using broker = await startBroker();
    await broker.fault.crash();
    broker.transactions();
  },
  LEADER_NOT_AVAILABLE: async () => {
    await using broker = await startBroker();
    void broker.restart();
    await Promise.resolve();
    broker.transactions();
  },
  INVALID_REQUEST: async () => {
    await using broker = await startBroker();
    await broker.fault.arm({ point: "kafka.produce", action: "close_after" });
  },
  CONNECTION: async () => {
    await using broker = await startBroker();
    await broker.daemon.kill();
    await broker.fault.list();
  },
  CLOSED: async () => {
    const broker = await startBroker();
    await broker.close();
    broker.records("orders");
  },
};

test("each code of the table comes, by the class that stands beside it", async () => {
  const table = (await tableOfRefusals()).map(([codes = "", name = ""]) => [
    /`(\w+)`/.exec(codes)?.[1] ?? "",
    /`(\w+)`/.exec(name)?.[1],
  ]);
  expect(table.map(([code]) => code)).toEqual(Object.keys(REFUSED));
  for (const [code = "", name] of table)
    await expect(REFUSED[code]?.()).rejects.toMatchObject({ code, name });
});

test("the table names every reason that a data folder is refused for", async () => {
  const reasons: { readonly [Reason in DataFolderRefused["reason"]]: true } = {
    "not-a-folder": true,
    "not-ours": true,
    "in-use": true,
    "read-only": true,
    unreachable: true,
    "newer-version": true,
    damaged: true,
    "no-broker-folder": true,
    "missing-broker": true,
  };
  const row = (await tableOfRefusals()).find(([code]) => code === "`DATA_FOLDER_REFUSED`");
  const named = [...(row?.[2] ?? "").matchAll(/"([a-z-]+)"/g)].map(([, reason]) => reason);
  expect(named).toEqual(Object.keys(reasons));
});
