/** `log dump` and `log verify`: over the wire, on the folder of a running broker, and on that of a stopped one. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command, jsonLines, output } from "./support/cli.ts";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";

const MINUTE = { timeout: 60_000 };

async function withOrders(): Promise<Daemon> {
  const broker = await startDaemon(temporaryFolder(), ["--log-level", "warn"]);
  await output(broker, ["topics", "create", "orders"]);
  for (const value of ["created", "paid"])
    await output(broker, ["produce", "orders", "-k", "alice", "-v", value]);
  return broker;
}

const folderOf = ({ data }: Daemon) => join(data, "broker-1", "orders-0");
const segmentOf = (broker: Daemon) => join(folderOf(broker), "00000000000000000000.log");

function spoil(file: string, position: number): void {
  const bytes = readFileSync(file);
  bytes[position] = (bytes[position] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

test("a log is dumped over the wire as text in Kafka's manner and as JSON lines", MINUTE, async () => {
  const broker = await withOrders();
  const text = await output(broker, ["log", "dump", "orders", "-p", "0", "--records"]);
  const lines = text.split("\n");
  expect(lines[0]).toBe("Dumping orders-0, segment 0");
  expect(lines[1]).toMatch(
    /^baseOffset: 0 lastOffset: 0 count: 1 baseSequence: -1 .* position: 0 CreateTime: \d+ /,
  );
  expect(lines[1]).toMatch(/ magic: MKB1 compresscodec: none crc: \d+ isvalid: true$/);
  expect(lines[2]).toMatch(
    /^\| offset: 0 .* keySize: 5 valueSize: 7 headerKeys: \[\] key: alice payload: created$/,
  );
  const asked = ["log", "dump", "orders", "-p", "0", "-o", "1", "-n", "1", "-J", "--records"];
  expect(jsonLines(await output(broker, asked))).toMatchObject([
    { type: "batch", segment: 0, base_offset: 1, problem: null, records: [{ key: "alice", value: "paid" }] },
  ]);
  expect(await command(broker, ["log", "dump", "orders", "-p", "0", "-o", "3"])).toMatchObject({ code: 3 });
  expect(await command(broker, ["log", "dump", "orders", "-p", "1"])).toMatchObject({ code: 3 });
});

test(
  "a running broker's folder is read without disturbing it, and says what the broker says",
  MINUTE,
  async () => {
    const broker = await withOrders();
    const batches = async (...arguments_: string[]) =>
      jsonLines(await output(broker, ["log", "dump", "-J", "--records", ...arguments_])).filter(
        ({ type }) => type === "batch",
      );
    expect(await batches(folderOf(broker))).toEqual(await batches("orders", "-p", "0"));
    expect(await output(null, ["log", "verify", broker.data])).toMatch(
      /orders-0: sound, 1 segment, 2 batches, 2 records, \d+ bytes, 0 indexes with entries\n$/,
    );
    await output(broker, ["produce", "orders", "-v", "on"]);
  },
);

test(
  "a stopped broker's data is dumped with its manifest, and damage ends with exit code 6",
  MINUTE,
  async () => {
    const broker = await withOrders();
    await broker.end("SIGTERM");
    const text = await output(null, ["log", "dump", folderOf(broker)]);
    expect(text).toContain("log start offset: 0 sealed segments: 0 recovery point: 2");
    expect(text).toContain(`Dumping ${segmentOf(broker)}\nLog starting offset: 0\nbaseOffset: 0 `);
    spoil(segmentOf(broker), 70);
    for (const subcommand of ["dump", "verify"]) {
      const found = await command(null, ["log", subcommand, broker.data]);
      expect(found).toMatchObject({ code: 6 });
      expect(found.stdout).toContain(`damage: ${segmentOf(broker)} at position 0: CRC is `);
      expect(found.stderr).toMatch(/^error: DAMAGE_FOUND: .* is damaged in one place\nhint: /);
    }
    const asJson = await command(null, ["log", "verify", broker.data, "-J"]);
    expect(jsonLines(asJson.stdout)).toMatchObject([
      { type: "damage", file: segmentOf(broker), position: 0 },
      { type: "partition", batches: 1, damage: 1 },
    ]);
    expect(jsonLines(asJson.stderr)).toMatchObject([
      { error: { code: "DAMAGE_FOUND", details: { places: 1 } } },
    ]);
  },
);

test(
  "index entries are dumped over the wire and from the folder alike, and a bad index is told and is no damage",
  MINUTE,
  async () => {
    const broker = await withOrders();
    const large = "x".repeat(5000);
    for (const value of [large, large, "end"]) await output(broker, ["produce", "orders", "-v", value]);
    const indexesOf = async (on: Daemon | null, ...target: string[]) =>
      jsonLines(await output(on, ["log", "dump", "-J", ...target])).filter(({ type }) =>
        ["index", "time_index"].includes(String(type)),
      );
    const wire = await indexesOf(broker, "orders", "-p", "0");
    expect(wire).toMatchObject([
      { type: "index", segment: 0, entries: [{ offset: 3 }, { offset: 4 }], problem: null },
      { type: "time_index", segment: 0, problem: null },
    ]);
    const text = await output(broker, ["log", "dump", "orders", "-p", "0"]);
    expect(text).toMatch(/Dumping offset index of segment 0\noffset: 3 position: \d+\n/);
    expect(text).toMatch(/Dumping time index of segment 0\ntimestamp: \d+ offset: \d\n/);
    await broker.end("SIGTERM");
    const timeIndex = join(folderOf(broker), "00000000000000000000.timeindex");
    expect(await indexesOf(null, folderOf(broker))).toMatchObject([
      { file: timeIndex.replace("timeindex", "index"), entries: wire[0]?.entries as object },
      { file: timeIndex, entries: wire[1]?.entries as object },
    ]);
    spoil(timeIndex, 30);
    const verified = await output(null, ["log", "verify", broker.data]);
    expect(verified).toContain(
      `unused index: ${timeIndex}: its CRC is not that of its bytes; it will be made anew`,
    );
    expect(verified).toMatch(/: sound, .* 2 indexes with entries \(1 not used\)\n$/);
    expect(jsonLines(await output(null, ["log", "verify", broker.data, "-J"]))).toMatchObject([
      { type: "unused_index", file: timeIndex },
      { type: "partition", indexes: 2, unused_indexes: 1, damage: 0 },
    ]);
  },
);

test(
  "an idempotent producer's batches and snapshots are shown, and a snapshot that is spoilt is no damage",
  MINUTE,
  async () => {
    const broker = await withOrders();
    await output(broker, ["produce", "orders", "--idempotent", "-p", "0"], "a\nb\n");
    const dumped = jsonLines(await output(broker, ["log", "dump", "orders", "-p", "0", "-J"]));
    expect(dumped.filter(({ type }) => type === "batch").at(-1)).toMatchObject({
      producer_id: 0,
      producer_epoch: 0,
      base_sequence: 0,
    });
    await broker.end("SIGTERM");
    const text = await output(null, ["log", "dump", folderOf(broker)]);
    expect(text).toMatch(
      /\.snapshot\nproducerId: 0 producerEpoch: 0 lastSeen: \d+ base sequences: 0 at offsets \d+ to \d+\n$/,
    );
    const [snapshot] = jsonLines(await output(null, ["log", "dump", folderOf(broker), "-J"])).slice(-1);
    expect(snapshot).toMatchObject({ type: "snapshot", problem: null, producers: [{ producer_id: 0 }] });
    expect(await output(null, ["log", "verify", broker.data])).toMatch(/: sound, .*, 1 snapshot\n$/);
    spoil(String(snapshot?.file), 100);
    const verified = await output(null, ["log", "verify", broker.data]);
    expect(verified).toContain(`unused snapshot: ${snapshot?.file}: the CRC of its bytes is `);
    expect(verified).toMatch(/: sound, .*, 1 snapshot \(1 not used\)\n$/);
  },
);

test(
  "the index of aborted transactions is dumped over the wire and from the folder alike; without it nothing is damaged",
  MINUTE,
  async () => {
    const broker = await withOrders();
    const aborted = ["produce", "orders", "-p", "0", "--transactional-id", "billing", "--jsonl"];
    await command(broker, aborted, '{"value":"undone"}\noops\n');
    const text = await output(broker, ["log", "dump", "orders", "-p", "0"]);
    expect(text).toMatch(
      /Dumping index of aborted transactions of segment 0\nproducerId: \d+ firstOffset: 2 lastOffset: 3 position: \d+\n/,
    );
    const isAbortedIndex = ({ type }: Record<string, unknown>) => type === "aborted_index";
    const [wire] = jsonLines(await output(broker, ["log", "dump", "orders", "-p", "0", "-J"])).filter(
      isAbortedIndex,
    );
    expect(wire).toMatchObject({ segment: 0, entries: [{ first_offset: 2, last_offset: 3 }], problem: null });
    await broker.end("SIGTERM");
    const file = join(folderOf(broker), "00000000000000000000.txnindex");
    const folder = jsonLines(await output(null, ["log", "dump", folderOf(broker), "-J"]));
    expect(folder.filter(isAbortedIndex)).toEqual([{ ...wire, file }]);
    expect(folder.at(-1)).toMatchObject({ type: "snapshot", open_transactions: [] });
    rmSync(file);
    const verified = await output(null, ["log", "verify", folderOf(broker)]);
    expect(verified).toMatch(/: sound, /);
  },
);

test(
  "a running broker tells of damage over the wire, and the command ends with exit code 6",
  MINUTE,
  async () => {
    const broker = await withOrders();
    expect(await output(broker, ["log", "verify", "orders", "-p", "0"])).toMatch(
      /^orders-0: sound, 1 segment, 2 batches, 2 records, \d+ bytes\n$/,
    );
    spoil(segmentOf(broker), 70);
    const verified = await command(broker, ["log", "verify", "orders", "-p", "0", "-J"]);
    expect(verified).toMatchObject({ code: 6 });
    expect(jsonLines(verified.stdout)).toMatchObject([
      { type: "damage", segment: 0, position: 0 },
      { type: "partition", topic: "orders", partition: 0, segments: 1, batches: 1, records: 1, damage: 1 },
    ]);
    const found = await command(broker, ["log", "dump", "orders", "-p", "0"]);
    expect(found).toMatchObject({ code: 6 });
    expect(found.stdout).toMatch(
      /isvalid: false\ndamage: segment 0 at position 0: CRC is .*\nbaseOffset: 1 .*isvalid: true\n$/,
    );
  },
);

test(
  "the way to an offset and to a time is shown by a running broker and from the folder of a stopped one",
  MINUTE,
  async () => {
    const broker = await withOrders();
    const asked = ["log", "find", "orders", "-p", "0"];
    const text = await output(broker, [...asked, "--offset", "1"]);
    expect(text).toMatch(
      /^segment 0: up to offset 2, latest time \d+: taken\nsegment 0: 2 batches looked at from position 0\nbaseOffset: 1 .* isvalid: true\noffset: 1 CreateTime: \d+ placeInBatch: 0\n$/,
    );
    const [{ timestamp_ms = 0 } = {}] = jsonLines(
      await output(broker, [...asked, "--offset", "1", "-J"]),
    ).slice(-1) as { timestamp_ms?: number }[];
    const byTime = jsonLines(await output(broker, [...asked, "--time", `${timestamp_ms}`, "-J"]));
    expect(byTime.map(({ type }) => type)).toEqual(["segment", "time_index", "scan", "batch", "record"]);
    expect(byTime.at(-1)).toEqual({ type: "record", offset: 1, timestamp_ms, place: 0 });
    const late = ["--time", `${timestamp_ms + 1}`];
    const missed = await command(broker, [...asked, ...late]);
    expect(missed).toMatchObject({ code: 3 });
    expect(missed.stderr).toContain("error: NOT_FOUND: orders-0 has no record of time ");
    expect(await command(broker, [...asked, "--offset", "2"])).toMatchObject({ code: 3 });
    await broker.end("SIGTERM");
    const inFolder = ["log", "find", folderOf(broker)];
    expect(await output(null, [...inFolder, "--offset", "1"])).toBe(text);
    expect(jsonLines(await output(null, [...inFolder, "--time", `${timestamp_ms}`, "-J"]))).toEqual(byTime);
    expect(await command(null, [...inFolder, ...late])).toMatchObject({ code: 3 });
    const outside = await command(null, [...inFolder, "--offset", "2"]);
    expect(outside).toMatchObject({ code: 3, stdout: "" });
    expect(outside.stderr).toContain("expected 0 to 1");
    spoil(segmentOf(broker), 70);
    const damaged = await command(null, [...inFolder, "--offset", "0"]);
    expect(damaged).toMatchObject({ code: 6 });
    expect(damaged.stdout).toMatch(/isvalid: false\ndamage: segment 0 at position 0: CRC is /);
    expect(await command(null, [...inFolder, "--time", "0"])).toMatchObject({ code: 6 });
    for (const wrong of [[], ["--offset", "1", "--time", "1"], ["--offset", "x"], ["--time", "yesterday"]])
      expect(await command(null, [...inFolder, ...wrong])).toMatchObject({ code: 2, stdout: "" });
  },
);

test(
  "a folder that a killed creation of a topic left is told as left over, and one without its manifest as damage",
  MINUTE,
  async () => {
    const broker = await withOrders();
    await broker.end("SIGKILL");
    const left = join(broker.data, "broker-1", "payments-0");
    mkdirSync(left);
    writeFileSync(join(left, "00000000000000000000.log"), "");
    const verify = ["log", "verify", broker.data];
    const text = await output(null, verify);
    expect(text).toContain(`${left}: left over (unfinished), its topic never came to exist; `);
    expect(text).toMatch(/orders-0: sound, 1 segment, 2 batches, /);
    expect(jsonLines(await output(null, [...verify, "-J"]))).toMatchObject([
      { type: "left_over", folder: left, reason: "unfinished" },
      { type: "partition", folder: folderOf(broker), damage: 0 },
    ]);
    for (const command of ["verify", "dump"])
      expect(await output(null, ["log", command, left])).toMatch(/^\S+payments-0: left over \(unfinished\)/);
    const aside = `${folderOf(broker)}.set-aside-1`;
    cpSync(folderOf(broker), aside, { recursive: true });
    rmSync(join(aside, "manifest.json"));
    expect(await output(null, verify)).toContain(`${aside}: left over (unnamed), it has records`);
    expect(await command(null, ["log", "verify", aside])).toMatchObject({ code: 6 });

    rmSync(join(folderOf(broker), "manifest.json"));
    const damaged = await command(null, verify);
    expect(damaged).toMatchObject({ code: 6 });
    expect(damaged.stdout).toMatch(/^damage: \S+orders-0\/manifest\.json: it is missing$/m);
    rmSync(folderOf(broker), { recursive: true });
    const missing = await command(null, verify);
    expect(missing).toMatchObject({ code: 6 });
    expect(missing.stdout).toMatch(/^damage: \S+orders-0: it has no log; the metadata names it$/m);
  },
);

test("what is no folder of logs is bad usage, with a hint", MINUTE, async () => {
  const empty = temporaryFolder();
  for (const path of [empty, join(empty, "nowhere")]) {
    const refused = await command(null, ["log", "verify", path]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^error: USAGE: .*\nhint: /);
    expect(refused.stderr).not.toContain("log dump");
  }
});
