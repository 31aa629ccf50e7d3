/** Snapshots that were cut, changed or found no room: nothing is touched, and whoever asked is told why. */
import { crc32 } from "node:zlib";
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };
const IMAGE = "/data/snapshots/before-load.image";
const KEPT = "/data/snapshots/kept.ndjson";

function clusterFiles(disk: MemoryDisk): Map<string, string> {
  const files = [...disk.files()].filter(([path]) => !/^\/data\/(lock|snapshots)/.test(path));
  return new Map(files.map(([path, bytes]) => [path, bytes.toString("base64")]));
}

function rewrite(disk: MemoryDisk, path: string, bytes: Buffer): void {
  if (disk.stat(path) !== null) disk.remove(path);
  const file = disk.openFile(path, { create: "exclusive" });
  file.writeAt(0, bytes);
  file.close();
}

/** A cluster with a snapshot in its folder, and something that came behind it. */
async function prepared(disk: MemoryDisk): Promise<Session> {
  const first = await openBroker({}, disk);
  const before = Session.open(first);
  await before.call("create_topic", { topic: "orders", partitions: 1 });
  await before.call("produce", { ...PLACE, value_b64: base64("a") });
  await first.close();
  const session = Session.open(await openBroker({}, disk));
  await session.call("produce", { ...PLACE, value_b64: base64("b") });
  await session.call("save_snapshot", { name: "kept", keep: "folder" });
  await session.call("produce", { ...PLACE, value_b64: base64("precious") });
  return session;
}

test("what lay in the folder before a load is put back only when all of it is whole: cut or changed anywhere, it is refused and nothing is touched", async () => {
  const disk = new MemoryDisk();
  const session = await prepared(disk);
  const middles: MemoryDisk[] = [];
  const stop = disk.beforeChange(() => {
    if (middles.length === 0 && disk.files().has(IMAGE)) middles.push(disk.clone());
  });
  await session.call("load_snapshot", { name: "kept" });
  stop();
  const [dead] = middles;
  if (dead === undefined) throw new Error("the load put nothing by");
  dead.crash({ mode: "kept" });
  const whole = dead.files().get(IMAGE) ?? Buffer.alloc(0);
  expect(whole.length).toBeGreaterThan(1_000);
  const before = clusterFiles(dead);
  const name = whole.indexOf("producer-ids");
  const damages = [
    Buffer.alloc(0),
    whole.subarray(0, whole.length >> 1),
    whole.subarray(0, whole.length - 1),
  ];
  damages.push(whole.subarray(0, whole.lastIndexOf("\n", whole.length - 2) + 1));
  for (const at of [
    name,
    whole.length >> 1,
    whole.length - 5,
    ...Array.from({ length: 20 }, (_, n) => n * 37),
  ]) {
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
    damages.push(flipped);
  }
  for (const [index, damaged] of damages.entries()) {
    rewrite(dead, IMAGE, damaged);
    const refusal = { name: "DataFolderRefused", reason: "damaged" };
    const clock = index % 2 === 0 ? { clock: "manual" } : { clock: "auto", start_time: undefined };
    await expect(openBroker(clock, dead)).rejects.toMatchObject(refusal);
    expect(clusterFiles(dead)).toEqual(before);
  }
  rewrite(dead, IMAGE, whole);
  const next = Session.open(await openBroker({}, dead));
  expect((await next.call("fetch", { ...PLACE, offset: 0 })).records).toHaveLength(3);
});

/** The request that produces, changed to another one. */
const asked = (request: object) => (text: string) =>
  text.replace(
    /"line":"\{\\"operation\\":\\"produce\\"[^}]*\}"/,
    `"line":${JSON.stringify(JSON.stringify(request))}`,
  );

/** As if a program had written it so: the last line is of what stands before it. */
function sealed(text: string): string {
  const lines = text.split("\n").slice(0, -2);
  const end = JSON.stringify({
    end: { lines: lines.length, crc32: crc32(lines.map((line) => `${line}\n`).join("")) },
  });
  return `${[...lines, end].join("\n")}\n`;
}

test.each<[string, (text: string) => string, string]>([
  ["a load", asked({ operation: "load_snapshot", name: "kept" }), "load_snapshot is a part of no history"],
  ["a save", asked({ operation: "save_snapshot", name: "kept" }), "save_snapshot is a part of no history"],
  ["a delete", asked({ operation: "delete_snapshot", name: "kept" }), "delete_snapshot is a part"],
  ["a list", asked({ operation: "list_snapshots" }), "list_snapshots is a part of no history"],
  ["a diff", asked({ operation: "diff_snapshots", from: "kept" }), "diff_snapshots is a part of no history"],
  ["a look at the history", asked({ operation: "read_history" }), "read_history is a part of no history"],
  ["a crash", asked({ operation: "crash" }), "crash is a part of no history"],
  [
    "a start at no time",
    (text) => text.replace(/"start_time_ms":\d+/, '"start_time_ms":1e99'),
    "start_time_ms",
  ],
  [
    "a start before all",
    (text) => text.replace(/"start_time_ms":\d+/, '"start_time_ms":-5'),
    "start_time_ms",
  ],
  ["a clock of letters", (text) => text.replace(/"time_ms":\d+/, '"time_ms":"x"'), "line 1: time_ms"],
  ["a seed of letters", (text) => text.replace('"seed":0', '"seed":"x"'), "line 1: seed"],
  ["a broken seed", (text) => text.replace('"seed":0', '"seed":-1.5'), "line 1: seed"],
  ["no settings", (text) => text.replace('"settings":{', '"settings":null,"was":{'), "line 1: settings"],
  ["a line that is a number", (text) => text.replace(/"line":".*"/, '"line":5'), "expected a request"],
  ["no request", (text) => text.replace(/\{"request":\{.*\}\}/, '{"request":null}'), "expected a request"],
  [
    "a negative connection",
    (text) => text.replace(/"connection":\d+/, '"connection":-7'),
    "expected a request",
  ],
  [
    "a named connection",
    (text) => text.replace(/"connection":\d+/, '"connection":"x"'),
    "expected a request",
  ],
  ["the lock", (text) => text.replace('"path":"producer-ids.json"', '"path":"lock"'), "of the cluster's"],
  [
    "a snapshot",
    (text) => text.replace('"path":"producer-ids.json"', '"path":"snapshots/F"'),
    "of the cluster's",
  ],
  ["a folder twice", (text) => text.replace(/(\{"folder":.*\n)/, "$1$1"), "expected the end of"],
  [
    "a far position",
    (text) => text.replace('"position":0', '"position":9007199254740991'),
    "from position 0",
  ],
  ["a negative position", (text) => text.replace('"position":0', '"position":-7'), "from position 0"],
  ["bytes that are no base64", (text) => text.replace('"deflated_b64":"', '"deflated_b64":"*'), "not base64"],
  [
    "files without their folders",
    (text) => sealed(text.replace(/\{"folder".*\n/g, "")),
    "stands in no folder",
  ],
  [
    "no identity",
    (text) => sealed(text.replace(/.*"meta\.properties\.json".*\n/, "")),
    "no cluster opens on the snapshot",
  ],
])(
  "a snapshot's file with %s in it is refused; the daemon lives, and nothing is touched",
  async (_what, edit, problem) => {
    const disk = new MemoryDisk();
    const session = await prepared(disk);
    const whole = disk.files().get(KEPT)?.toString() ?? "";
    const edited = edit(whole);
    expect(edited).not.toBe(whole);
    rewrite(disk, KEPT, Buffer.from(edited));
    const before = clusterFiles(disk);
    const refused = await session.ask({ operation: "load_snapshot", name: "kept" });
    expect(refused).toMatchObject({ code: "STORAGE_ERROR", message: expect.stringContaining(problem) });
    expect(clusterFiles(disk)).toEqual(before);
    expect((await session.call("fetch", { ...PLACE, offset: 0 })).records).toHaveLength(3);
  },
);

test.each(["request.ping", "log.append.after_write"])(
  "a snapshot's file that was changed so that the broker would crash at %s is refused; the daemon lives, and nothing is touched",
  async (point) => {
    const disk = new MemoryDisk();
    const broken: Error[] = [];
    const broker = await openBroker({}, disk, undefined, { onBroken: (error) => broken.push(error) });
    const session = Session.open(broker);
    await session.call("create_topic", { topic: "orders", partitions: 1 });
    // It errs where it is to crash.
    const order = point.startsWith("request.") ? { code: "STORAGE_ERROR" } : {};
    await session.call("arm_fault", { point, action: "error", ...order });
    await session.ask({ operation: "ping" });
    await session.ask({ operation: "produce", ...PLACE, value_b64: base64("a") });
    await session.call("save_snapshot", { name: "kept", keep: "folder" });
    const edited = disk
      .files()
      .get(KEPT)
      ?.toString()
      .replace(/\\"action\\":\\"error\\"(,\\"code\\":\\"\w+\\")?/, '\\"action\\":\\"crash\\"');
    expect(edited).toContain("crash");
    rewrite(disk, KEPT, Buffer.from(sealed(edited ?? "")));
    const before = clusterFiles(disk);
    const refused = await session.ask({ operation: "load_snapshot", name: "kept" });
    expect(refused).toMatchObject({
      code: "STORAGE_ERROR",
      message: expect.stringContaining(`crashed at ${point}`),
    });
    expect(await session.ask({ operation: "diff_snapshots", from: "kept" })).toMatchObject({
      code: "STORAGE_ERROR",
    });
    expect([clusterFiles(disk), broken]).toEqual([before, []]);
    await session.call("ping");
  },
);

test("a load or a save for which the disk has no room is refused, leaves nothing behind, and everybody is served on", async () => {
  const disk = new MemoryDisk();
  const broker = await openBroker({}, disk);
  const [session, other] = [Session.open(broker), Session.open(broker)];
  await session.call("save_snapshot", { name: "one" });
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const before = clusterFiles(disk);
  for (const [request, path] of [
    [{ operation: "load_snapshot", name: "one" }, /before-load/],
    [{ operation: "save_snapshot", name: "two", keep: "folder" }, /two/],
  ] as const) {
    disk.fail({ operation: "write", code: "ENOSPC", path });
    expect(await session.ask(request)).toMatchObject({
      code: "STORAGE_ERROR",
      message: expect.stringContaining("ENOSPC"),
    });
    expect([...disk.files().keys()].filter((each) => each.startsWith("/data/snapshots"))).toEqual([]);
    expect(clusterFiles(disk)).toEqual(before);
    await other.call("ping");
  }
  await other.call("produce", { ...PLACE, value_b64: base64("a") });
  expect(await session.call("load_snapshot", { name: "one" })).toMatchObject({ difference: null });
  expect(await session.call("list_topics")).toMatchObject({ topics: [] });
});

test.each(["manual", "auto"])(
  "what a save that died left unfinished is removed by the next daemon, clock %s",
  async (clock) => {
    const disk = new MemoryDisk();
    await (await openBroker({}, disk)).close();
    disk.makeFolder("/data/snapshots");
    for (const name of ["one.ndjson.tmp", "before-load.image.tmp", "notes"])
      rewrite(disk, `/data/snapshots/${name}`, Buffer.from("half"));
    await openBroker(clock === "auto" ? { clock, start_time: undefined } : {}, disk);
    const left = [...disk.files().keys()].filter((each) => each.startsWith("/data/snapshots"));
    expect(left).toEqual(["/data/snapshots/notes"]);
  },
);

test("a damaged file among the snapshots is listed with its problem beside the others, and can be deleted", async () => {
  const disk = new MemoryDisk();
  const session = await prepared(disk);
  await session.call("save_snapshot", { name: "whole", keep: "folder" });
  rewrite(disk, KEPT, Buffer.from("half"));
  expect((await session.call("list_snapshots")).snapshots).toEqual([
    { name: "kept", keep: "folder", problem: expect.stringContaining("kept.ndjson is damaged") },
    { name: "whole", keep: "folder", entries: expect.any(Number), time_ms: expect.any(Number) },
  ]);
  await session.call("delete_snapshot", { name: "kept" });
  expect((await session.call("list_snapshots")).snapshots).toMatchObject([{ name: "whole" }]);
});
