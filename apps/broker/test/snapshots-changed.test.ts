/** Snapshots' files in which something is another: nothing is touched unless whoever loads says that it may be. */
import { crc32 } from "node:zlib";
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };
const KEPT = "/data/snapshots/kept.ndjson";

function clusterFiles(disk: MemoryDisk): Map<string, string> {
  const files = [...disk.files()].filter(([path]) => !/^\/data\/(lock|snapshots)/.test(path));
  return new Map(files.map(([path, bytes]) => [path, bytes.toString("base64")]));
}

/** As if a program had written it so: the last line is of what stands before it. */
function sealed(text: string): string {
  const lines = text.split("\n").slice(0, -2);
  const end = JSON.stringify({
    end: { lines: lines.length, crc32: crc32(lines.map((line) => `${line}\n`).join("")) },
  });
  return `${[...lines, end].join("\n")}\n`;
}

/** A cluster that holds "a" and "b", a snapshot of it whose file is changed by `edit`, and "c" that came behind it. */
async function withChanged(edit: (text: string) => string, keep: "memory" | "folder" = "folder") {
  const disk = new MemoryDisk();
  const session = Session.open(await openBroker({}, disk));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  for (const text of ["aaaa", "bbbb"]) await session.call("produce", { ...PLACE, value_b64: base64(text) });
  await session.call("save_snapshot", { name: "kept", keep });
  await session.call("produce", { ...PLACE, value_b64: base64("cccc") });
  const whole = disk.files().get(KEPT)?.toString() ?? "";
  const edited = edit(whole);
  if (disk.stat(KEPT) !== null) disk.remove(KEPT);
  const file = disk.openFile(KEPT, { create: "exclusive" });
  file.writeAt(0, Buffer.from(edited));
  file.close();
  return { disk, session, isChanged: edited !== whole };
}

async function valuesIn(session: Session): Promise<string[]> {
  const { records = [] } = await session.call("fetch", { ...PLACE, offset: 0 });
  return records.map(({ value_b64 }) => Buffer.from(value_b64 ?? "", "base64").toString());
}

const otherValue = (text: string) => text.replaceAll(base64("bbbb"), base64("eeee"));
const otherAcks = (text: string) => text.replace(/("request":.*?)\}"\}\}/, '$1,\\"acks\\":1}"}}');

test.each<[string, (text: string) => string]>([
  ["a value of a request", otherValue],
  ["the time", (text) => text.replace(/"time_ms":17/, '"time_ms":18')],
  ["the seed", (text) => text.replace('"seed":0', '"seed":7')],
  ["the version of the program", (text) => text.replace(/"program_version":"./, '"program_version":"9')],
  ["no number for all of it", (text) => text.replace(/,"crc32":\d+/, "")],
])(
  "a snapshot's file with another %s, as long as before, is refused, and nothing is touched",
  async (_what, edit) => {
    const { disk, session, isChanged } = await withChanged(edit);
    expect(isChanged).toBe(true);
    const before = clusterFiles(disk);
    for (const fields of [{}, { accept_difference: true }])
      expect(await session.ask({ operation: "load_snapshot", name: "kept", ...fields })).toMatchObject({
        code: "STORAGE_ERROR",
        message: expect.stringContaining("are not those that it was written for"),
      });
    expect(clusterFiles(disk)).toEqual(before);
    expect(await valuesIn(session)).toEqual(["aaaa", "bbbb", "cccc"]);
  },
);

/** What another version of the program would have done otherwise. */
const OTHERWISE = (text: string) => sealed(text.replace(/("kind":"appended".*?"next_offset":)\d+/, "$1999"));

test("a snapshot that does not come out as it was is refused before anything is touched, and so is a diff with it; loaded all the same it says where", async () => {
  const { disk, session } = await withChanged(OTHERWISE);
  const watcher = Session.open(session.broker);
  await watcher.call("ping");
  const before = clusterFiles(disk);
  const refusal = {
    code: "STORAGE_ERROR",
    message: expect.stringMatching(/^nothing is changed; entry \d+ of \d+ does not come out as it was/),
    details: { saved: expect.stringContaining("999"), replayed: expect.stringContaining("appended") },
  };
  expect(await session.ask({ operation: "load_snapshot", name: "kept" })).toMatchObject(refusal);
  expect(await session.ask({ operation: "diff_snapshots", from: "kept" })).toMatchObject(refusal);
  expect(clusterFiles(disk)).toEqual(before);
  expect([await valuesIn(session), watcher.isClosed]).toEqual([["aaaa", "bbbb", "cccc"], false]);
  const loaded = await session.call("load_snapshot", { name: "kept", accept_difference: true });
  expect(loaded.difference).toMatchObject({ saved: expect.stringContaining("999") });
  expect(await valuesIn(session)).toEqual(["aaaa", "bbbb"]);
});

test("a request that was changed by who also counted anew does not come out as it was, and is refused", async () => {
  const { disk, session } = await withChanged((text) => sealed(otherAcks(text)));
  const before = clusterFiles(disk);
  expect(await session.ask({ operation: "load_snapshot", name: "kept" })).toMatchObject({
    code: "STORAGE_ERROR",
  });
  expect(clusterFiles(disk)).toEqual(before);
});

test("a snapshot's file of version 1, which has no number for all of it, is loaded", async () => {
  const { session } = await withChanged((text) =>
    text.replace('"minikafka_trace":2', '"minikafka_trace":1').replace(/,"crc32":\d+/, ""),
  );
  expect(await session.call("load_snapshot", { name: "kept" })).toMatchObject({ difference: null });
  expect(await valuesIn(session)).toEqual(["aaaa", "bbbb"]);
});

test("one that says that it is unfinished is loaded as far as it goes: of what is missing at its end nothing is said", async () => {
  const { session } = await withChanged((text) => {
    const lines = text.split("\n").slice(0, -2);
    const asked = lines.findLastIndex((line) => line.startsWith('{"request"'));
    const cut = lines.slice(0, asked + 1);
    return `${[...cut, JSON.stringify({ end: { lines: cut.length, unfinished: true } })].join("\n")}\n`;
  });
  expect(await session.call("load_snapshot", { name: "kept" })).toMatchObject({ difference: null });
  expect(await valuesIn(session)).toEqual(["aaaa", "bbbb"]);
});
