/** The page that describes the files shows what the log writes. */
import { readFileSync } from "node:fs";
import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import { FOLDER, newWorld } from "./log-world.ts";

const page = readFileSync(new URL("../src/log/FORMAT.md", import.meta.url), "utf8");

/** The files of the example: each name stands before its block. */
function filesOnPage(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [, name, kind, body] of page.matchAll(/^`([\w.]+)`[^\n]*\n\n```(hex|json)\n(.*?)```/gms)) {
    const lines = (body ?? "").trimEnd().split("\n");
    // In a line of hex, words begin behind three spaces.
    const hex = lines.map((line) => line.split("   ")[0]?.replaceAll(" ", "")).join("");
    const text = kind === "hex" ? hex : Buffer.from(`${lines.join("\n")}\n`).toString("hex");
    files.set(name ?? "", text);
  }
  return files;
}

test("the example is what the log leaves on the disk", async () => {
  const { disk, open } = newWorld({ indexIntervalBytes: 60, segmentBytes: 200 });
  const log = open();
  const sent: [key: string, value: string, timestampMs: number][] = [
    ["alice", "created", 1_700_000_000_000],
    ["bob", "paid", 1_700_000_000_250],
    ["alice", "shipped", 1_700_000_001_000],
  ];
  for (const [key, value, timestampMs] of sent) {
    const record = { key: Buffer.from(key), value: Buffer.from(value), timestampMs, headers: [] };
    log.append(encodeBatch({ records: [record] }), 0);
  }
  await log.close();
  const written = [...disk.files()].map(([path, bytes]) => [
    path.slice(FOLDER.length + 1),
    bytes.toString("hex"),
  ]);
  expect(Object.fromEntries(filesOnPage())).toEqual(Object.fromEntries(written));
});
