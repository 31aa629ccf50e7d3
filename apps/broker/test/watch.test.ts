/** What happens, told line by line while it happens. */
import { EVENT_KINDS } from "@minikafka/protocol";
import { expect, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { base64, openBroker, Session, settle } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };
const START_MS = 1_700_000_000_000;

type Event = { readonly number: number; readonly kind: string } & { readonly [name: string]: unknown };

async function nextEvent(session: Session): Promise<Event> {
  const line = await session.answer();
  expect(line, JSON.stringify(line)).toHaveProperty("event");
  return line?.event as Event;
}

/** Everything that has arrived, in order: events by their kind, answers as "answer". */
async function arrived(session: Session): Promise<unknown[]> {
  await settle();
  return session.answers
    .splice(0)
    .map((line) => (line.event === undefined ? "answer" : (line.event as Event).kind));
}

async function openOrders(settings: RawSettings = {}, replicas = 1) {
  const broker = await openBroker({ brokers: replicas, ...settings });
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: replicas });
  const watching = Session.open(broker);
  const produce = (value: string, topic = "orders") =>
    session.call("produce", { topic, value_b64: base64(value) });
  return { broker, session, watching, produce };
}

test("whoever watches topics that are not there yet is told which, and of their events once they are", async () => {
  const { session, watching } = await openOrders();
  expect(await watching.call("watch", { topics: ["orders"] })).toEqual({ ok: true });
  const topics = ["orders", "later", "never"];
  expect(await watching.call("watch", { topics })).toMatchObject({ absent_topics: ["later", "never"] });
  await session.call("create_topic", { topic: "later", partitions: 1 });
  expect(await nextEvent(watching)).toMatchObject({ topic: "later" });
});

test("replication is told step by step, with the numbers that caused each", async () => {
  const { session, watching, produce } = await openOrders({}, 3);
  const kinds = ["isr_changed", "high_watermark_moved", "leader_changed", "replicated", "truncated"];
  await watching.call("watch", { kinds });
  await produce("a");
  await session.call("advance_clock", { ms: 250 });
  await session.call("replicate_once", { broker_id: 2 });
  const time_ms = START_MS + 250;
  expect(await nextEvent(watching)).toMatchObject({
    kind: "replicated",
    time_ms,
    ...PLACE,
    broker_id: 2,
    leader_id: 1,
    from_offset: 0,
    log_end_offset: 1,
    batches: 1,
  });
  await session.call("replicate_once", { broker_id: 3 });
  expect(await nextEvent(watching)).toMatchObject({ kind: "replicated", broker_id: 3 });
  expect(await nextEvent(watching)).toMatchObject({
    ...{ kind: "high_watermark_moved", broker_id: 1, from: 0, to: 1, in_sync_replicas: [1, 2, 3] },
  });
  await session.call("remove_from_isr", { ...PLACE, broker_id: 3 });
  expect(await nextEvent(watching)).toMatchObject({
    ...{ kind: "isr_changed", ...PLACE, from: [1, 2, 3], to: [1, 2], high_watermark: 1, log_end_offset: 1 },
    moves: [{ broker_id: 3, log_end_offset: 1 }],
  });
  await produce("b: on the leader alone");
  await session.call("promote", { ...PLACE, broker_id: 2 });
  expect(await nextEvent(watching)).toMatchObject({
    kind: "leader_changed",
    from: 1,
    leader_id: 2,
    leader_epoch: 1,
  });
  await produce("c");
  await session.call("rejoin", { ...PLACE, broker_id: 1 });
  await settle();
  const rejoined = watching.answers.map(({ event }) => event as Event);
  expect(rejoined.find(({ kind }) => kind === "truncated")).toMatchObject({
    ...{ broker_id: 1, from_offset: 2, log_end_offset: 1 },
  });
  const numbers = rejoined.map(({ number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right));
});

test("only the topics and kinds that were asked for are told, also of topics that are yet to come", async () => {
  const { session, watching, produce } = await openOrders();
  await watching.call("watch", { topics: ["later"], kinds: ["appended", "topic_created", "cluster_closed"] });
  await produce("elsewhere");
  await session.call("create_topic", { topic: "later", partitions: 1 });
  await produce("here", "later");
  expect(await arrived(watching)).toEqual(["topic_created", "appended"]);
});

test("what a request caused is told before its answer, on the watching connection too, and answers go on", async () => {
  const { watching } = await openOrders();
  await watching.call("watch", { kinds: ["appended"] });
  for (const id of [1, 2])
    watching.request({ operation: "produce", id, topic: "orders", value_b64: base64("a") });
  watching.request({ operation: "ping" });
  expect(await arrived(watching)).toEqual(["appended", "answer", "appended", "answer", "answer"]);
});

test("a watch begins behind its answer, however long that has to wait, and what follows it waits too", async () => {
  const { watching, produce } = await openOrders();
  watching.request({ operation: "fetch", ...PLACE, offset: 0, min_bytes: 1, max_wait_ms: 60_000 });
  watching.request({ operation: "watch", kinds: ["appended"] });
  watching.request({ operation: "produce", topic: "orders", value_b64: base64("behind") });
  expect(await arrived(watching)).toEqual([]);
  await produce("wakes the fetch, and is not told");
  expect(await arrived(watching)).toEqual(["answer", "answer", "appended", "answer"]);
});

test("nothing is told after unwatch was answered, and a second watch takes the place of the first", async () => {
  const { watching, produce, session } = await openOrders();
  await watching.call("watch");
  await watching.call("watch", { kinds: ["rolled"] });
  await produce("a");
  await session.call("roll_segment", PLACE);
  expect(await arrived(watching)).toEqual(["rolled"]);
  await watching.call("unwatch");
  await produce("b");
  await session.call("roll_segment", PLACE);
  await watching.call("unwatch");
  expect(await arrived(watching)).toEqual([]);
});

test("a kind that there is not, an empty list and a wrong type are refused, and the kinds are named", async () => {
  const { watching, produce } = await openOrders();
  const refused = await watching.ask({ operation: "watch", kinds: ["isr_changd"] });
  expect(refused).toMatchObject({ ok: false, code: "INVALID_REQUEST" });
  for (const kind of EVENT_KINDS) expect(refused?.message).toContain(`"${kind}"`);
  for (const fields of [
    { kinds: [] },
    { topics: [] },
    { topics: "orders" },
    { topics: [1] },
    { topic: "orders" },
  ])
    expect(await watching.ask({ operation: "watch", ...fields })).toMatchObject({ code: "INVALID_REQUEST" });
  await produce("a");
  expect(await arrived(watching)).toEqual([]);
});

test("a watch needs no lab", async () => {
  const { watching } = await openOrders({ clock: "auto", lab: false, start_time: undefined });
  await watching.call("watch", { kinds: ["appended"] });
  await watching.call("ping");
});

test("a client that does not read slows nobody, and is told afterwards how many it has missed", async () => {
  const { watching, produce, session } = await openOrders();
  await watching.call("watch", { kinds: ["appended"] });
  watching.stream.pause();
  const BATCHES = 12_000;
  for (let sent = 0; sent < BATCHES; sent += 1)
    session.request({ operation: "produce", topic: "orders", value_b64: base64("x") });
  for (let answered = 0; answered < BATCHES; answered += 1)
    expect(await session.answer()).toMatchObject({ offset: answered });
  watching.stream.resume();
  await settle();
  const before = watching.answers.splice(0).map(({ event }) => event as Event);
  const dropped = before.pop();
  expect(dropped?.kind).toBe("events_dropped");
  expect(before.every(({ kind }) => kind === "appended")).toBe(true);
  expect(before.length + Number(dropped?.count)).toBe(BATCHES);
  expect(dropped?.first_number).toBeGreaterThan(before.at(-1)?.number ?? Number.NaN);
  expect(dropped?.number).toBeGreaterThan(Number(dropped?.first_number));
  await produce("seen again");
  const next = await nextEvent(watching);
  expect(next).toMatchObject({ kind: "appended", base_offset: BATCHES });
  expect(next.number).toBeGreaterThan(dropped?.number ?? Number.NaN);
});

test("a hundred watchers see the same, each what it asked for", async () => {
  const { broker, produce } = await openOrders();
  const watchers = Array.from({ length: 100 }, () => Session.open(broker));
  for (const [index, watcher] of watchers.entries())
    await watcher.call("watch", {
      kinds: index % 2 === 0 ? ["appended"] : ["appended", "high_watermark_moved"],
    });
  await produce("a");
  const [first, second] = [await nextEvent(watchers[0] as Session), await nextEvent(watchers[1] as Session)];
  expect(second).toEqual(first);
  for (const [index, watcher] of watchers.entries()) {
    if (index < 2) continue;
    expect(await nextEvent(watcher)).toEqual(first);
  }
  const rest = await Promise.all(watchers.map(arrived));
  for (const [index, kinds] of rest.entries())
    expect(kinds).toEqual(index % 2 === 0 ? [] : ["high_watermark_moved"]);
});

test("a watcher that goes away, at once or by ending its side, harms nobody, and an ending broker ends the rest", async () => {
  const { broker, session, produce } = await openOrders();
  const [gone, ended, left] = [Session.open(broker), Session.open(broker), Session.open(broker)];
  for (const watcher of [gone, ended, left]) await watcher.call("watch", { kinds: ["appended"] });
  gone.stream.destroy();
  ended.stream.end();
  await settle();
  await produce("a");
  expect(await arrived(left)).toEqual(["appended"]);
  expect(await arrived(ended)).toEqual([]);
  expect(ended.isClosed).toBe(true);
  await session.call("ping");
  await broker.close();
  expect(await left.answer()).toBeNull();
});
