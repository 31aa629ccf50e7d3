/** With a manual clock everything follows from the seed and the requests: bytes, answers and events. */
import { expect, test } from "vitest";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";
import { folderContents } from "./support/folder-contents.ts";
import { RawSession } from "./support/raw-session.ts";
import { SteppedSessions } from "./support/stepped-sessions.ts";

const b64 = (text: string) => Buffer.from(text).toString("base64");
const orders = { topic: "orders", partition: 0 };
const COPIER = 2;
const WORKER = 3;
const READER = 4;
const SLOW = 5;
const QUEUED = 40;

interface Run {
  readonly files: { readonly [path: string]: string };
  readonly answers: readonly unknown[];
  readonly events: readonly string[];
}

/** One or two lives of a daemon, each ended by SIGKILL. */
async function run(seed: number, lives = [firstLife, secondLife]): Promise<Run> {
  const data = temporaryFolder();
  const answers: unknown[] = [];
  const events: string[] = [];
  for (const live of lives) {
    const settings = ["--clock", "manual", "--start-time", "1700000000000", "--seed", String(seed)];
    const daemon = await startDaemon(data, [...settings, "--brokers", "3", "--log-level", "error"]);
    const watcher = await watch(daemon);
    const script = new SteppedSessions(daemon.port);
    await live(script);
    events.push(...(await watcher.end()));
    answers.push(...script.answers);
    await daemon.end("SIGKILL");
  }
  // The folder's name is no part of the cluster.
  const told = events.map((event) => event.replaceAll(data, "DATA"));
  return { files: folderContents(data), answers, events: told };
}

/** All events from now on, until it is ended. */
async function watch(daemon: Daemon): Promise<{ end(): Promise<string[]> }> {
  const session = await RawSession.open(daemon.port);
  await session.ask({ operation: "watch" });
  return {
    async end() {
      session.send(`${JSON.stringify({ operation: "unwatch" })}\n`);
      const lines: string[] = [];
      for (let line = await session.answer(); line?.ok === undefined; line = await session.answer())
        lines.push(JSON.stringify(line));
      return lines;
    },
  };
}

async function firstLife(script: SteppedSessions): Promise<void> {
  await script.ask(0, "hello");
  await script.ask(0, "create_topic", { topic: "orders", partitions: 2, replication_factor: 3 });
  const compacted = { cleanup_policy: "compact", segment_bytes: 1024 * 1024, min_cleanable_dirty_ratio: 0 };
  await script.ask(0, "create_topic", {
    topic: "prices",
    partitions: 1,
    replication_factor: 3,
    config: compacted,
  });
  await script.leaveWaiting(READER, "fetch", {
    ...orders,
    offset: 0,
    min_bytes: 10_000,
    max_wait_ms: 60_000,
  });
  for (let n = 0; n < 20; n++) {
    await script.ask(1, "produce", { topic: "prices", key_b64: b64(`k${n % 3}`), value_b64: b64(`v${n}`) });
    if (n % 5 === 4) await script.ask(0, "roll_segment", { topic: "prices", partition: 0 });
    await script.ask(0, "advance_clock", { ms: 7 });
  }
  await script.askStepped(1, "produce", { ...orders, value_b64: b64("for all"), acks: "all" });
  const joined = await script.askStepped(WORKER, "join_group", {
    group_id: "workers",
    member_id: "a",
    topics: ["orders"],
  });
  await script.askStepped(
    WORKER,
    "heartbeat",
    { group_id: "workers", member_id: "a", generation: joined.generation },
    1,
  );
  const identity = await script.askStepped(COPIER, "init_producer", { transactional_id: "copier" });
  await transaction(script, identity, true);
  await faults(script);
  await script.ask(0, "flush_logs");
  await script.ask(0, "compact");
  await script.ask(0, "refresh_isr");
  await script.ask(0, "stop_broker", { broker_id: 3 });
  await script.ask(0, "promote", { ...orders, broker_id: 2 });
  await script.leaveWaiting(1, "produce", { ...orders, id: 1, value_b64: b64("nobody knows"), acks: "all" });
  await script.ask(0, "start_broker", { broker_id: 3 });
  await script.ask(0, "rejoin", { ...orders, broker_id: 1 });
  await script.ask(0, "create_topic", { topic: "gone", partitions: 3 });
  await script.ask(0, "delete_topic", { topic: "gone" });
}

async function secondLife(script: SteppedSessions): Promise<void> {
  for (let round = 0; round < 3; round++) await script.ask(0, "replicate_once");
  await script.ask(0, "create_topic", { topic: "later", partitions: 1 });
  const identity = await script.askStepped(COPIER, "init_producer", { transactional_id: "copier" });
  await transaction(script, identity, false);
  await script.ask(0, "advance_clock", { ms: 100_000 });
  await script.askStepped(WORKER, "expire_members");
  await script.askStepped(WORKER, "expire_transactions");
  await script.ask(0, "compact");
  await script.ask(0, "apply_retention");
  await script.ask(0, "describe_partition", orders);
  await script.ask(0, "list_groups");
}

/** What waits behind a request that a fault holds, and behind one that it delays, comes before what is asked when they are let go. */
async function faults(script: SteppedSessions): Promise<void> {
  const point = "request.list_offsets";
  const held = await script.ask(0, "arm_fault", { point, action: "hold" });
  await script.leaveBehind(SLOW, "list_offsets", { ...orders, timestamp_ms: -1 }, queued("held"));
  await script.ask(0, "release_fault", { rule_id: held.rule_id });
  await script.ask(1, "produce", { ...orders, value_b64: b64("after the hold") });
  await script.takeAnswers(SLOW, QUEUED + 1);
  await script.ask(0, "arm_fault", { point, action: "delay", delay_ms: 5 });
  await script.leaveBehind(SLOW, "list_offsets", { ...orders, timestamp_ms: -1 }, queued("delayed"));
  await script.ask(0, "advance_clock", { ms: 5 });
  await script.ask(1, "produce", { ...orders, value_b64: b64("after the delay") });
  await script.takeAnswers(SLOW, QUEUED + 1);
}

function queued(what: string): object[] {
  const values = Array.from({ length: QUEUED }, (_, n) => b64(`${what} ${n}`));
  return values.map((value_b64) => ({ operation: "produce", ...orders, value_b64 }));
}

/** One that is committed with offsets, or one that stays open. */
async function transaction(script: SteppedSessions, identity: object, isEnded: boolean): Promise<void> {
  const { producer_id, producer_epoch } = identity as { producer_id: number; producer_epoch: number };
  const speaker = { transactional_id: "copier", producer_id, producer_epoch };
  await script.askStepped(COPIER, "begin_transaction", speaker);
  const record = { value_b64: b64("in a transaction"), base_sequence: 0, acks: "all" };
  await script.askStepped(COPIER, "produce", { topic: "orders", partition: 1, ...speaker, ...record });
  if (!isEnded) return;
  const offsets = [{ topic: "orders", partition: 0, offset: 1 }];
  await script.askStepped(COPIER, "send_offsets", { ...speaker, group_id: "copiers", offsets });
  await script.askStepped(COPIER, "end_transaction", { ...speaker, commit: true }, 6);
}

test("two runs of one script give the same bytes on disk, the same answers and the same events", async () => {
  const one = await run(5);
  expect(one.answers.filter((answer) => (answer as { ok: boolean }).ok !== true)).toEqual([]);
  const other = await run(5);
  expect(other.answers).toEqual(one.answers);
  expect(other.events).toEqual(one.events);
  expect(other.files).toEqual(one.files);
  // What would be equal in any case proves nothing.
  const drawn = await run(6, [async (script) => void (await script.ask(0, "hello"))]);
  const identity = "meta.properties.json";
  expect(drawn.files[identity]).toHaveLength(one.files[identity]?.length ?? 0);
  expect(drawn.files[identity]).not.toBe(one.files[identity]);
});
