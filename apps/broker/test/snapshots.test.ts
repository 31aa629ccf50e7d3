/** Going back: what a snapshot holds, what becomes of everybody when it is loaded, and what a death in the middle leaves. */
import { FaultPoints, MemoryDisk } from "@minikafka/core/testing";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { type Broker, startBroker } from "../src/daemon.ts";
import { type Answer, base64, openBroker, Session, settle } from "./support/broker.ts";
import { armFault } from "./support/faults.ts";

const PLACE = { topic: "orders", partition: 0 };
const THREE: RawSettings = { brokers: 3, segment_bytes: 4096 };

async function produce(session: Session, text: string): Promise<void> {
  await session.call("produce", { ...PLACE, value_b64: base64(text) });
}

/** Groups, transactions, replication and a clock that has moved: much of it is in memory alone. */
async function prepare(session: Session): Promise<void> {
  await session.call("create_topic", { topic: "orders", partitions: 2, replication_factor: 3 });
  await produce(session, "a");
  await session.call("advance_clock", { ms: 5 });
  // One request of many goes, each of which has to be over before the next request is done once more.
  expect(await session.call("run_until_quiet")).toMatchObject({ quiet: true });
  session.request({ operation: "join_group", group_id: "g", member_id: "m", topics: ["orders"], id: "join" });
  session.request({ operation: "init_producer", transactional_id: "t", id: "init" });
  for (let round = 0; round < 3; round += 1) await inOrder(session, { operation: "replicate_once" });
  await produce(session, "not replicated");
}

/** Answers of those with an id come in between. */
async function inOrder(session: Session, request: object): Promise<Answer | null> {
  session.request(request);
  for (;;) {
    const answer = await session.answer();
    if (answer === null || !("id" in answer)) return answer;
    expect(answer).toMatchObject({ ok: true });
  }
}

/** What is done after a snapshot, and what comes of it: answers and events. */
async function goOn(broker: Broker): Promise<unknown> {
  const watching = Session.open(broker);
  await watching.call("watch");
  const session = Session.open(broker);
  const answers: unknown[] = [];
  const ask = async (request: object) => answers.push(await inOrder(session, request));
  await ask({ operation: "create_topic", topic: "later", partitions: 1 });
  await ask({ operation: "produce", ...PLACE, value_b64: base64("b") });
  for (let round = 0; round < 2; round += 1) await ask({ operation: "replicate_once" });
  await ask({ operation: "advance_clock", ms: 50_000 });
  session.request({ operation: "expire_members", id: "expire" });
  for (let round = 0; round < 3; round += 1) await ask({ operation: "replicate_once" });
  await ask({ operation: "describe_partition", ...PLACE });
  await ask({ operation: "list_groups" });
  await settle();
  return { answers, events: watching.answers.splice(0) };
}

/** Something that changes the disk, what is in memory, the clock, and what chance gives next. */
async function experiment(session: Session): Promise<void> {
  await session.call("create_topic", { topic: "tried", partitions: 3, replication_factor: 3 });
  await session.call("stop_broker", { broker_id: 2 });
  await produce(session, "tried");
  await session.call("roll_segment", PLACE);
  await session.call("advance_clock", { ms: 1_000 });
  await session.call("delete_topic", { topic: "tried" });
}

/** By path, but who holds the folder and what lies beside the cluster. */
function clusterFiles(disk: MemoryDisk): Map<string, string> {
  const files = [...disk.files()].filter(([path]) => !/^\/data\/(lock|snapshots)/.test(path));
  return new Map(files.map(([path, bytes]) => [path, bytes.toString("base64")]));
}

test("after a load everything goes on as if what was tried had not been: answers, events and bytes", async () => {
  const plainDisk = new MemoryDisk();
  const plain = await openBroker(THREE, plainDisk);
  await prepare(Session.open(plain));
  const expected = await goOn(plain);

  const disk = new MemoryDisk();
  const broker = await openBroker(THREE, disk);
  await prepare(Session.open(broker));
  const trying = Session.open(broker);
  await trying.call("save_snapshot", { name: "before" });
  await experiment(trying);
  const loaded = await trying.call("load_snapshot", { name: "before" });
  expect(loaded).toMatchObject({ name: "before", keep: "memory", difference: null });
  expect(await goOn(broker)).toEqual(expected);
  expect(clusterFiles(disk)).toEqual(clusterFiles(plainDisk));
  // And once more: the name is still there, and what came since is forgotten.
  await trying.call("load_snapshot", { name: "before" });
  expect(await goOn(broker)).toEqual(expected);
});

test("all others are let go by a load, whoever waited among them; who asked stays and is told", async () => {
  const broker = await openBroker(THREE);
  const asker = Session.open(broker);
  await asker.call("create_topic", { topic: "orders", partitions: 1 });
  const other = Session.open(broker);
  other.request({ operation: "fetch", ...PLACE, offset: 0, min_bytes: 1, max_wait_ms: 1_000 });
  await settle();
  await asker.call("save_snapshot", { name: "one" });
  await produce(asker, "tried");
  await asker.call("load_snapshot", { name: "one" });
  await settle();
  expect(other.isClosed).toBe(true);
  expect(await asker.call("fetch", { ...PLACE, offset: 0 })).toMatchObject({ records: [] });
});

test("a snapshot in the folder is there for the next daemon, whose history goes on from it", async () => {
  const disk = new MemoryDisk();
  const first = await openBroker({ ...THREE, seed: 3 }, disk);
  const session = Session.open(first);
  await prepare(session);
  await session.call("save_snapshot", { name: "kept", keep: "folder" });
  await session.call("save_snapshot", { name: "in-memory" });
  const expected = await goOn(first);
  await first.close();
  const second = await openBroker({ ...THREE, start_time: 1_800_000_000_000, seed: 4 }, disk);
  const other = Session.open(second);
  expect(await other.call("list_snapshots")).toMatchObject({
    snapshots: [{ name: "kept", keep: "folder", time_ms: 1_700_000_000_005 }],
  });
  expect(await other.call("load_snapshot", { name: "kept" })).toMatchObject({ difference: null });
  expect(await other.call("hello")).toMatchObject({ seed: 3 });
  expect(await goOn(second)).toEqual(expected);
  await other.call("delete_snapshot", { name: "kept" });
  expect(await other.call("list_snapshots")).toMatchObject({ snapshots: [] });
});

test("a diff names each place where two states differ, and changes nothing", async () => {
  const broker = await openBroker(THREE);
  const session = Session.open(broker);
  await prepare(session);
  await session.call("save_snapshot", { name: "one" });
  expect(await session.call("diff_snapshots", { from: "one" })).toMatchObject({ differences: [] });
  await session.call("replicate_once");
  await session.call("advance_clock", { ms: 2 });
  const { lines: before } = await session.call("read_history");
  const { differences } = await session.call("diff_snapshots", { from: "one" });
  const replica = "topics.orders.partitions.0.replicas.2.log_end_offset";
  expect(differences).toContainEqual({ path: replica, from: 1, to: 2 });
  expect(differences).toContainEqual({ path: "now_ms", from: 1_700_000_000_005, to: 1_700_000_000_007 });
  expect(differences.filter(({ path }) => path.startsWith("topics.orders.partitions.1"))).toEqual([]);
  await session.call("save_snapshot", { name: "two" });
  expect(await session.call("diff_snapshots", { from: "two", to: "two" })).toMatchObject({ differences: [] });
  expect((await session.call("read_history")).lines).toEqual(before);
});

test("a diff sees what there is past whatever faults are armed at requests, and tells of these", async () => {
  const session = Session.open(await openBroker());
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const armed = await armFault(session, { point: "request.list_topics", action: "close", times: "always" });
  await armFault(session, { point: "request.describe_partition", action: "hold", times: "always" });
  await armFault(session, { point: "request.describe_config", action: "crash", times: "always" });
  await session.call("save_snapshot", { name: "one" });
  await produce(session, "a");
  await session.call("disarm_faults", { rule_id: armed });
  const { differences } = await session.call("diff_snapshots", { from: "one" });
  const changed = differences.map(({ path }) => path);
  expect(changed).toContain("topics.orders.partitions.0.log_end_offset");
  expect(changed.filter((path) => path.startsWith("faults"))).not.toEqual([]);
});

test("a diff is of the cluster as it was when it was asked for", async () => {
  const broker = await openBroker();
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  await session.call("save_snapshot", { name: "one" });
  const later = Session.open(broker);
  session.request({ operation: "diff_snapshots", from: "one" });
  for (let n = 0; n < 3; n += 1) later.request({ operation: "produce", ...PLACE, value_b64: base64("a") });
  expect(await session.answer()).toMatchObject({ differences: [] });
});

test("a history begins with what was in the folder, and has each request, answer and event in order, page by page", async () => {
  const disk = new MemoryDisk();
  const first = await openBroker({}, disk);
  await Session.open(first).call("create_topic", { topic: "orders", partitions: 1 });
  await first.close();
  const broker = await openBroker({}, disk);
  const session = Session.open(broker);
  await produce(session, "a");
  session.send("no request\n");
  await session.answer();
  const lines: string[] = [];
  for (let next = 0, end = 1; next < end; ) {
    const page = await session.call("read_history", { from: next, max_bytes: 1_000 });
    lines.push(...page.lines);
    ({ next, end } = page);
    expect(page).toMatchObject({ ended: false, life: 1 });
  }
  const told = lines.map((line) => JSON.parse(line));
  expect(told[0]).toMatchObject({ minikafka_trace: 2, seed: 0, data: "/data" });
  const kinds = told.slice(1).map((line) => Object.keys(line)[0]);
  expect(kinds.slice(0, kinds.lastIndexOf("file"))).not.toContain("event");
  const requests = kinds.slice(kinds.indexOf("request"));
  expect(requests).toEqual(["request", "event", "event", "answer", "request", "answer"]);
  expect(told.at(-1)).toMatchObject({
    answer: { request: 2, line: expect.stringContaining("INVALID_REQUEST") },
  });
});

test("a history that is too long ends with a clear refusal; what was saved before can still be gone back to", async () => {
  const broker = await openBroker({ history_max_bytes: 1024 * 1024 });
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  await session.call("save_snapshot", { name: "early" });
  for (let n = 0; n < 3; n += 1) await produce(session, "x".repeat(400_000));
  expect(await session.call("read_history", { from: 1_000_000 })).toMatchObject({ ended: true });
  const refused = await session.ask({ operation: "save_snapshot", name: "late" });
  expect(refused).toMatchObject({
    ok: false,
    code: "HISTORY_ENDED",
    message: expect.stringContaining("1048576"),
  });
  expect(await session.ask({ operation: "diff_snapshots", from: "early" })).toMatchObject({
    code: "HISTORY_ENDED",
  });
  await session.call("load_snapshot", { name: "early" });
  await session.call("save_snapshot", { name: "late" });
});

test.each([
  ["load_snapshot", { name: "none" }, "UNKNOWN_SNAPSHOT", "there is no snapshot none"],
  ["delete_snapshot", { name: "none" }, "UNKNOWN_SNAPSHOT", "there is no snapshot none"],
  ["diff_snapshots", { from: "none" }, "UNKNOWN_SNAPSHOT", "there is no snapshot none"],
  ["save_snapshot", { name: "../elsewhere" }, "INVALID_REQUEST", "name: expected 1 to 100 letters"],
  ["save_snapshot", { name: "" }, "INVALID_REQUEST", "name: expected 1 to 100 letters"],
  ["save_snapshot", { name: "a", keep: "forever" }, "INVALID_REQUEST", "keep: "],
  ["read_history", { from: -1 }, "INVALID_REQUEST", "from: "],
])("%s of %j is refused with %s, and nothing changes", async (operation, fields, code, said) => {
  const disk = new MemoryDisk();
  const session = Session.open(await openBroker({}, disk));
  const before = clusterFiles(disk);
  const message = expect.stringContaining(said);
  expect(await session.ask({ operation, ...fields })).toMatchObject({ ok: false, code, message });
  expect(clusterFiles(disk)).toEqual(before);
});

test("in auto mode, where things happen by themselves, nobody can go back", async () => {
  const session = Session.open(await openBroker({ clock: "auto", start_time: undefined, lab: true }));
  for (const operation of ["read_history", "save_snapshot", "load_snapshot", "list_snapshots"]) {
    const fields = /save|load/.test(operation) ? { name: "a" } : {};
    expect(await session.ask({ operation, ...fields })).toMatchObject({ code: "STEPPING_DISABLED" });
  }
});

test("a snapshot of a broker with other settings is refused by their names; a damaged file by its name and line", async () => {
  const disk = new MemoryDisk();
  const first = await openBroker({ brokers: 3 }, disk);
  await Session.open(first).call("save_snapshot", { name: "three", keep: "folder" });
  await first.close();
  const session = Session.open(await openBroker({ brokers: 3, duplicate_window: 2 }, disk));
  const refused = await session.ask({ operation: "load_snapshot", name: "three" });
  expect(refused).toMatchObject({ code: "INVALID_CONFIG" });
  expect(refused?.message).toContain("duplicate_window was not set and is 2");
  const path = "/data/snapshots/three.ndjson";
  const whole = disk.files().get(path) ?? Buffer.alloc(0);
  for (const [damaged, where] of [
    [whole.subarray(0, whole.length - 3), "the last line has no end"],
    [whole.subarray(0, whole.lastIndexOf("\n", whole.length - 2) + 1), "expected the end of"],
    [Buffer.concat([Buffer.from("x"), whole]), "line 1: expected a JSON object"],
  ] as const) {
    disk.remove(path);
    disk.openFile(path, { create: "exclusive" }).writeAt(0, damaged);
    const answer = await session.ask({ operation: "load_snapshot", name: "three" });
    expect(answer).toMatchObject({ code: "STORAGE_ERROR", message: expect.stringContaining(where) });
  }
});

test("whatever instant a load dies at, the next daemon has the state from before or the loaded one, never something else", async () => {
  const disk = new MemoryDisk();
  const settings = { segment_bytes: 4096 };
  const session = Session.open(await openBroker(settings, disk));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  await session.call("save_snapshot", { name: "one" });
  await produce(session, "tried");
  await session.call("flush_logs");
  const before = await stateOf(disk.clone(), settings);
  const images: MemoryDisk[] = [];
  const stop = disk.beforeChange(() => images.push(disk.clone()));
  await session.call("load_snapshot", { name: "one" });
  stop();
  const after = await stateOf(disk.clone(), settings);
  expect(before).not.toEqual(after);
  const seen = { before: 0, after: 0 };
  // The instants are many and alike; each seventh meets each kind of them.
  for (const image of images.filter((_image, index) => index % 7 === 0 || index > images.length - 8))
    for (const mode of ["kept", "lost"] as const) {
      const dead = image.clone();
      dead.crash({ mode });
      const state = await stateOf(dead, settings);
      expect([before, after]).toContainEqual(state);
      seen[JSON.stringify(state) === JSON.stringify(before) ? "before" : "after"] += 1;
    }
  expect(seen.before).toBeGreaterThan(10);
  expect(seen.after).toBeGreaterThan(0);
});

test("a folder in the middle of a load is refused when what it held before is damaged, and when another holds it", async () => {
  const disk = new MemoryDisk();
  await (await openBroker({}, disk)).close();
  disk.makeFolder("/data/snapshots");
  const path = "/data/snapshots/before-load.image";
  const file = disk.openFile(path, { create: "exclusive" });
  file.writeAt(0, Buffer.from('{"file":{"path":"../elsewhere","deflated_b64":""}}\n{"end":{"lines":1}}\n'));
  for (const clock of [{ clock: "manual" }, { clock: "auto", start_time: undefined }]) {
    const refused = {
      name: "DataFolderRefused",
      reason: "damaged",
      message: expect.stringContaining("line 1"),
    };
    await expect(openBroker(clock, disk)).rejects.toMatchObject(refused);
    const lock = await disk.lock("/data", 1);
    await expect(openBroker(clock, disk)).rejects.toMatchObject({ reason: "in-use" });
    await lock.release();
  }
});

test("a broker with faults of its program's own is not made once more, since no history tells of them", async () => {
  const broker = await startBroker({
    settings: { data: "/data", clock: "manual" },
    disk: new MemoryDisk(),
    faults: new FaultPoints(),
    log: pino({ level: "silent" }),
    listen: false,
  });
  onTestFinished(() => broker.close());
  const session = Session.open(broker);
  await session.call("save_snapshot", { name: "one" });
  const refused = await session.ask({ operation: "load_snapshot", name: "one" });
  expect(refused).toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining("faults of its own"),
  });
  await session.call("ping");
});

test("a load for which the disk has no room once the folder is being made anew ends the daemon, and the next one has the state from before", async () => {
  const disk = new MemoryDisk();
  const problems: Error[] = [];
  const broker = await startBroker({
    settings: { data: "/data", clock: "manual" },
    disk,
    log: pino({ level: "silent" }),
    listen: false,
    onBroken: (error) => problems.push(error),
  });
  const session = Session.open(broker);
  await session.call("save_snapshot", { name: "one" });
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  await produce(session, "kept");
  disk.fail({ operation: "write", code: "ENOSPC", path: /producer-ids/ });
  expect(await session.ask({ operation: "load_snapshot", name: "one" })).toMatchObject({ ok: false });
  expect(problems).toMatchObject([{ cause: { code: "ENOSPC" } }]);
  disk.crash({ mode: "kept" });
  const next = Session.open(await openBroker({}, disk));
  expect(await next.call("fetch", { ...PLACE, offset: 0 })).toMatchObject({ records: [{ offset: 0 }] });
});

/** What a daemon finds that is started on the folder. */
async function stateOf(disk: MemoryDisk, settings: RawSettings): Promise<unknown> {
  disk.crash({ mode: "kept" });
  const broker = await openBroker(settings, disk);
  const session = Session.open(broker);
  const { topics } = await session.call("list_topics");
  const records = await session.ask({ operation: "fetch", ...PLACE, offset: 0 });
  await broker.close();
  return { topics, records: records?.records };
}
