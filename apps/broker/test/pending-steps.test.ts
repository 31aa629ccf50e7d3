/** What a broker says of its background work before it is taken, and until none is left, over the wire. */
import type { ResponseFields } from "@minikafka/protocol";
import { describe, expect, test } from "vitest";
import { base64, openBroker, Session, settle } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };
const START_MS = 1_700_000_000_000;
const MEMBER = {
  group_id: "g",
  member_id: "m",
  topics: ["orders"],
  assignor: "roundrobin",
  session_timeout_ms: 6000,
};

async function replicated(settings: object = {}): Promise<Session> {
  const session = Session.open(await openBroker({ brokers: 3, offsets_topic_partitions: 1, ...settings }));
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 3 });
  await session.call("run_until_quiet");
  return session;
}

const produce = (session: Session, acks = "1") =>
  session.call("produce", { ...PLACE, value_b64: base64("v"), acks });

/** `replicate_once 2`, `flush_logs`: short for what is pending, or was taken. */
function short(steps: readonly { readonly operation: string; readonly fields: object }[]): string[] {
  return steps.map(({ operation, fields }) => [operation, ...Object.values(fields)].join(" "));
}

const pending = async (session: Session, fields: object = {}) =>
  (await session.call("pending_steps", fields)).steps;

test.each(["pending_steps", "run_until_quiet"])(
  "%s is refused where stepping is not allowed",
  async (operation) => {
    const auto = Session.open(await openBroker({ clock: "auto", start_time: undefined }));
    expect(await auto.ask({ operation })).toMatchObject({ ok: false, code: "STEPPING_DISABLED" });
  },
);

describe("pending_steps", () => {
  test("lists each step as a request asks for it, and each does what was told of it", async () => {
    const session = await replicated();
    await produce(session);
    await produce(session);
    const [second, third, flush, ...others] = await pending(session);
    expect(others).toEqual([]);
    expect(short([second, third, flush].flatMap((step) => step ?? []))).toEqual([
      "replicate_once orders 0 2",
      "replicate_once orders 0 3",
      "flush_logs",
    ]);
    if (second?.operation !== "replicate_once") throw new Error("a round is first");
    const { batches, bytes, leader_high_watermark } = second.would;
    expect({ batches, leader_high_watermark }).toEqual({ batches: 2, leader_high_watermark: 0 });
    expect(second.says).toBe(
      `broker 2 would copy 2 batches (${bytes} bytes), up to offset 2, hear of high watermark 0, in orders-0`,
    );
    const { copied } = await session.call("replicate_once", second.fields);
    expect(copied).toMatchObject([{ ...second.fields, batches, bytes }]);
    expect((await pending(session))[0]).toMatchObject({
      fields: { broker_id: 3 },
      would: { leader_high_watermark: 2 },
    });
  });

  test("lists nothing when no step would do anything, and then no step does", async () => {
    const session = await replicated();
    await produce(session, "0");
    expect((await session.call("run_until_quiet")).quiet).toBe(true);
    expect(await pending(session)).toEqual([]);
    await session.call("watch");
    for (const operation of [
      "replicate_once",
      "refresh_isr",
      "flush_logs",
      "apply_retention",
      "compact",
    ] as const)
      await session.call(operation);
    for (const operation of [
      "expire_members",
      "expire_offsets",
      "expire_producers",
      "expire_transactions",
    ] as const)
      await session.call(operation);
    expect(session.answers).toEqual([]);
  });

  test("tells when time brings more: a session, a long poll and an answer that is waited for, and never moves the clock", async () => {
    const session = await replicated();
    const member = Session.open(session.broker);
    member.request({ operation: "join_group", ...MEMBER });
    await settle();
    await session.call("run_until_quiet");
    expect(await member.answer()).toMatchObject({ ok: true, generation: 1 });
    member.request({ operation: "fetch", ...PLACE, offset: 0, max_wait_ms: 500, min_bytes: 1 });
    member.request({ operation: "produce", ...PLACE, value_b64: base64("v"), acks: "all", timeout_ms: 700 });
    await settle();
    const { now_ms, deadlines } = await session.call("pending_steps");
    expect(now_ms).toBe(START_MS);
    expect(await session.call("clock")).toMatchObject({ now_ms: START_MS });
    expect(deadlines.slice(0, 3)).toEqual([
      { due_at_ms: START_MS + 500, what: "long_poll", operation: null, request: "fetch", ...PLACE },
      { due_at_ms: START_MS + 700, what: "answer", operation: null, request: "produce", ...PLACE },
      {
        due_at_ms: START_MS + 6000,
        what: "session_timeout",
        operation: "expire_members",
        group_id: "g",
        member_id: "m",
      },
    ]);
    await session.call("advance_clock", { ms: 499 });
    await settle();
    expect(member.answers).toEqual([]);
    await session.call("advance_clock", { ms: 1 });
    expect(await member.answer()).toMatchObject({ ok: true, records: [] });
    await session.call("advance_clock", { ms: 200 });
    expect(await member.answer()).toMatchObject({ code: "REQUEST_TIMED_OUT" });
    await session.call("advance_clock", { ms: 5299 });
    expect(short(await pending(session))).not.toContain("expire_members");
    await session.call("advance_clock", { ms: 1 });
    const due = (await pending(session)).find(({ operation }) => operation === "expire_members");
    expect(due).toMatchObject({
      would: { expired: [{ group_id: "g", member_id: "m", cause: "session_timeout" }] },
      says: expect.stringMatching(
        /^it would expire m of g \(session_timeout\); it is done when brokers 2, 3 have /,
      ),
    });
  });

  test("tells of one topic alone when it is named, and refuses one that there is not", async () => {
    const session = await replicated();
    await session.call("create_topic", { topic: "audit", partitions: 1, replication_factor: 3 });
    await session.call("run_until_quiet");
    await produce(session);
    expect(await pending(session, { topic: "audit" })).toEqual([]);
    expect(short(await pending(session, { topic: "orders" }))).toEqual([
      "replicate_once orders 0 2",
      "replicate_once orders 0 3",
    ]);
    expect(await session.ask({ operation: "pending_steps", topic: "none" })).toMatchObject({
      code: "UNKNOWN_TOPIC",
    });
  });

  test("tells what each kind of step would do in a sentence", async () => {
    const session = await replicated({ replica_lag_time_ms: 500 });
    const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0 };
    await session.call("create_topic", { topic: "kept", partitions: 1, config });
    await session.call("create_topic", { topic: "old", partitions: 1, config: { retention_ms: 1000 } });
    const record = { key_b64: base64("k"), value_b64: base64("v"), timestamp_ms: START_MS };
    for (const topic of ["kept", "old"]) {
      await session.call("produce", { topic, partition: 0, records: [record] });
      await session.call("roll_segment", { topic, partition: 0 });
    }
    await session.call("flush_logs");
    await produce(session);
    await session.call("advance_clock", { ms: 1001 });
    const said = new Map((await pending(session)).map(({ operation, says }) => [operation, says]));
    expect(said.get("refresh_isr")).toBe(
      "the in-sync replicas of orders-0 would go from 1,2,3 to 1 (2: lag_time, 3: lag_time), with high watermark 1",
    );
    expect(said.get("flush_logs")).toMatch(/^a flush would make \d+ bytes of 1 log durable$/);
    expect(said.get("apply_retention")).toMatch(/^retention would delete 1 segment \(\d+ bytes\) of old$/);
    expect(said.get("compact")).toMatch(
      /^compaction would go over 1 segment \(\d+ bytes\) in 1 log of kept$/,
    );
  });
});

describe("run_until_quiet", () => {
  const taken = async (session: Session, fields: object = {}) => {
    const answer: ResponseFields<"run_until_quiet"> = await session.call("run_until_quiet", fields);
    return answer;
  };

  test("takes pending steps in their order until none is left, each with what it did", async () => {
    const session = await replicated();
    const waiting = Session.open(session.broker);
    waiting.request({ operation: "produce", ...PLACE, value_b64: base64("v"), acks: "all" });
    await settle();
    const { steps, quiet } = await taken(session);
    expect(quiet).toBe(true);
    expect(short(steps)).toEqual([
      "replicate_once orders 0 2",
      "replicate_once orders 0 3",
      "replicate_once orders 0 2",
      "replicate_once orders 0 3",
      "flush_logs",
    ]);
    expect(steps[0]).toMatchObject({
      outcome: "done",
      problem: null,
      did: { copied: [{ broker_id: 2, batches: 1 }] },
    });
    expect(await waiting.answer()).toMatchObject({ ok: true, offset: 0 });
    expect(await taken(session)).toMatchObject({ steps: [], quiet: true, unquiet: [] });
    expect(await session.call("clock")).toMatchObject({ now_ms: START_MS });
  });

  test("lets a step wait for the rounds that acknowledge it, and tells what it did then", async () => {
    const session = await replicated();
    const member = Session.open(session.broker);
    member.request({ operation: "join_group", ...MEMBER });
    await settle();
    await taken(session);
    await session.call("advance_clock", { ms: 6000 });
    expect((await pending(session)).find(({ operation }) => operation === "expire_members")).toMatchObject({
      says: expect.stringMatching(
        /^it would expire m of g \(session_timeout\); it is done when brokers 2, 3 have copied what it writes, with replicate_once meanwhile$/,
      ),
    });
    const { steps, quiet } = await taken(session);
    expect(quiet).toBe(true);
    const expiry = steps.findIndex(({ operation }) => operation === "expire_members");
    const expired = [{ group_id: "g", member_id: "m", cause: "session_timeout" }];
    expect(steps[expiry]).toMatchObject({ outcome: "done", did: { expired } });
    expect(short(steps.slice(expiry + 1))).toContain("replicate_once __consumer_offsets 0 2");
  });

  test("ends when a step waits for what no step gives, and says so", async () => {
    const session = await replicated({ replica_lag_time_ms: 1_000_000 });
    const member = Session.open(session.broker);
    member.request({ operation: "join_group", ...MEMBER });
    await settle();
    await taken(session);
    const { leader_id: leader } = await session.call("describe_partition", {
      topic: "__consumer_offsets",
      partition: 0,
    });
    await session.call("stop_broker", { broker_id: leader === 3 ? 2 : 3 });
    await session.call("advance_clock", { ms: 6000 });
    const { steps, quiet, unquiet } = await taken(session);
    expect(quiet).toBe(false);
    expect(steps.find(({ operation }) => operation === "expire_members")).toMatchObject({
      outcome: "waits",
      did: null,
    });
    expect(unquiet).toMatchObject([{ what: "step_waits", operation: "expire_members" }]);
    await session.call("start_broker", { broker_id: leader === 3 ? 2 : 3 });
    expect((await taken(session)).quiet).toBe(true);
    // It has neither members nor offsets: a step has ended it as well.
    expect(await session.ask({ operation: "describe_group", group_id: "g" })).toMatchObject({
      code: "UNKNOWN_GROUP",
    });
  });

  test("takes no more steps than it may, and goes on in the next call", async () => {
    const session = await replicated();
    await produce(session);
    const first = await taken(session, { max_steps: 2 });
    expect(first.steps).toHaveLength(2);
    expect(first.quiet).toBe(false);
    expect(first.unquiet).toEqual([
      { what: "steps_left", says: "more steps are pending after the 2 that were taken" },
    ]);
    expect(await taken(session)).toMatchObject({ quiet: true });
  });

  test("takes a step that fails once, says why, and ends", async () => {
    const session = await replicated();
    await produce(session);
    const path = "/data/broker-1/orders-0/00000000000000000000.log";
    const file = session.broker.cluster.env.disk.openFile(path);
    file.writeAt(30, Buffer.from([1, 2, 3, 4]));
    file.close();
    const { steps, quiet, unquiet } = await taken(session, { max_steps: 50 });
    expect(quiet).toBe(false);
    expect(steps[0]).toMatchObject({ operation: "replicate_once", outcome: "failed", problem: null });
    expect(unquiet[0]).toMatchObject({
      what: "step_failed",
      says: expect.stringContaining(path),
      operation: "replicate_once",
      ...PLACE,
      broker_id: 2,
    });
    expect(short(steps).filter((step) => step === "replicate_once orders 0 2")).toHaveLength(1);
    expect(steps[0]).toMatchObject({ did: { copied: [{ problem: expect.stringContaining(path) }] } });
  });

  test("holds up every other connection until it is over, so that nothing comes between its steps", async () => {
    const session = await replicated();
    await produce(session);
    const other = Session.open(session.broker);
    session.request({ operation: "run_until_quiet" });
    other.request({ operation: "pending_steps" });
    expect(await other.answer()).toMatchObject({ steps: [] });
    expect(await session.answer()).toMatchObject({ quiet: true });
  });

  test("leaves a step waiting that a fault holds, and whoever releases it is served", async () => {
    const session = await replicated();
    await produce(session);
    const armed = { point: "log.flush.before_sync", action: "hold", times: "always" };
    const { rule_id } = await session.call("arm_fault", armed);
    const { steps, quiet, unquiet } = await taken(session);
    expect(quiet).toBe(false);
    expect(steps.at(-1)).toMatchObject({ operation: "flush_logs", outcome: "waits" });
    const says = `flush_logs waits for what no step gives, while fault ${rule_id} holds at log.flush.before_sync`;
    expect(unquiet).toEqual([{ what: "step_waits", operation: "flush_logs", says, held_by: [rule_id] }]);
    await session.call("release_fault", { rule_id });
    expect(await taken(session)).toMatchObject({ quiet: true });
  });

  test("leaves a held step without a manual clock too, and goes on with what its client asks next", async () => {
    const broker = await openBroker({ clock: "auto", start_time: undefined, lab: true });
    const [session, other] = [Session.open(broker), Session.open(broker)];
    await session.call("create_topic", { topic: "orders", partitions: 1 });
    const armed = { point: "log.flush.before_sync", action: "hold" };
    const { rule_id } = await session.call("arm_fault", armed);
    other.request({ operation: "produce", ...PLACE, value_b64: base64("v"), acks: "all" });
    session.request({ operation: "run_until_quiet" });
    session.request({ operation: "ping" });
    expect(await session.answer()).toMatchObject({
      quiet: false,
      unquiet: [{ what: "step_waits", operation: "flush_logs", held_by: [rule_id] }],
    });
    expect(await session.answer()).toMatchObject({ ok: true });
    await session.call("release_fault", { rule_id });
    expect(await other.answer()).toMatchObject({ ok: true, offset: 0 });
    expect(await taken(session)).toMatchObject({ quiet: true });
  });

  test("is not quiet when a flush has failed, nor from then on until the broker is started anew", async () => {
    const session = Session.open(await openBroker({ brokers: 1 }));
    await session.call("create_topic", { topic: "orders", partitions: 1 });
    await session.call("run_until_quiet");
    await produce(session);
    const { rule_id } = await session.call("arm_fault", { point: "log.flush.before_sync", action: "error" });
    const { steps, quiet, unquiet } = await taken(session);
    const { rules } = await session.call("list_faults");
    expect(rules.find((rule) => rule.rule_id === rule_id)).toMatchObject({ fired: 1 });
    expect(steps.at(-1)).toMatchObject({ operation: "flush_logs", outcome: "failed", did: null });
    expect(quiet).toBe(false);
    const failed = {
      what: "broker_failed",
      broker_id: 1,
      says: expect.stringContaining("broker 1 has failed"),
    };
    expect(unquiet).toMatchObject([{ what: "step_failed", operation: "flush_logs" }, failed]);
    expect(await taken(session)).toMatchObject({ steps: [], quiet: false, unquiet: [failed] });
    await session.call("stop_broker", { broker_id: 1 });
    await session.call("start_broker", { broker_id: 1 });
    expect(await taken(session)).toMatchObject({ quiet: true, unquiet: [] });
  });

  test("names the request that waits for a replica on a stopped broker, until that is there again", async () => {
    const session = await replicated();
    await session.call("stop_broker", { broker_id: 3 });
    expect(await taken(session)).toMatchObject({ quiet: true });
    const waiting = Session.open(session.broker);
    waiting.request({ operation: "produce", ...PLACE, value_b64: base64("v"), acks: "all" });
    await settle();
    const { quiet, unquiet } = await taken(session);
    expect(quiet).toBe(false);
    expect(unquiet).toEqual([
      {
        what: "answer_waits",
        says: "produce of orders-0 waits for broker 3, which is in sync and stopped",
        request: "produce",
        ...PLACE,
      },
    ]);
    await session.call("start_broker", { broker_id: 3 });
    expect(await taken(session)).toMatchObject({ quiet: true });
    expect(await waiting.answer()).toMatchObject({ ok: true });
  });
});
