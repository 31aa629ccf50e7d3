/** Requests among the events of a watch: which, in what order, and how each ended. */
import { factNames, REQUEST_EVENTS } from "@minikafka/protocol";
import { expect, expectTypeOf, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import type { RequestEvent } from "../src/request-event.ts";
import { base64, openBroker, Session, settle } from "./support/broker.ts";
import { armFault } from "./support/faults.ts";

const PLACE = { topic: "orders", partition: 0 };
const SECRET = base64("nobody's business");

type Event = { readonly number: number; readonly kind: string } & { readonly [name: string]: unknown };

async function openOrders(settings: RawSettings = {}) {
  const broker = await openBroker(settings);
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const watching = Session.open(broker);
  return { broker, session, watching };
}

/** All that has arrived by now; answers are left out. */
async function told(watching: Session): Promise<Event[]> {
  await settle();
  return watching.answers.splice(0).flatMap(({ event }) => (event === undefined ? [] : [event as Event]));
}

/** Of requests, without what differs from run to run. */
function ends(events: readonly Event[]): unknown[] {
  return events
    .filter(({ kind }) => kind === "request_done")
    .map(({ operation, id, outcome, answered }) => ({ operation, id, outcome, answered }));
}

test("a request is told before what it causes, and its outcome behind that, with the number of the event before each", async () => {
  const { session, watching } = await openOrders();
  await watching.call("watch", { requests: true });
  await session.call("produce", { ...PLACE, value_b64: base64("a"), id: 7 });
  const events = await told(watching);
  expect(events.map(({ kind }) => kind)).toEqual([
    "request_taken",
    "appended",
    "high_watermark_moved",
    "request_done",
  ]);
  const [taken, appended, moved, done] = events;
  const first = Number(appended?.number);
  expect(taken).toEqual({
    ...{ number: first - 1, time_ms: 1_700_000_000_000, kind: "request_taken", ...PLACE },
    ...{ request: 3, connection: 1, operation: "produce", id: 7 },
  });
  expect(done).toEqual({
    ...{ ...taken, number: moved?.number, kind: "request_done" },
    ...{ outcome: "ok", answered: true },
  });
});

test("on the watching connection the outcome comes before the answer; of the watch itself nothing is told", async () => {
  const { watching } = await openOrders();
  await watching.call("watch", { kinds: ["request_done"] });
  watching.request({ operation: "ping", id: "p" });
  watching.request({ operation: "unwatch" });
  await settle();
  const lines = watching.answers
    .splice(0)
    .map((line) => (line.event as Event | undefined)?.operation ?? line);
  expect(lines).toEqual(["ping", { ok: true, id: "p" }, { ok: true }]);
});

test("a request that fails is told with its code, a line that is none without an operation, and nothing of what they hold", async () => {
  const { session, watching } = await openOrders();
  await watching.call("watch", { requests: true });
  await session.ask({ operation: "produce", topic: "nowhere", key_b64: SECRET, value_b64: SECRET, id: 1 });
  await session.ask({ operation: "produce", topic: "orders", values: SECRET, id: 2 });
  await session.ask({ operation: `nonsense ${SECRET}` });
  session.send(`{"operation":"produce","topic":"${SECRET}\n`);
  const events = await told(watching);
  expect(ends(events)).toEqual([
    { operation: "produce", id: 1, outcome: "UNKNOWN_TOPIC", answered: true },
    { operation: null, id: 2, outcome: "INVALID_REQUEST", answered: true },
    { operation: null, id: null, outcome: "UNSUPPORTED_OPERATION", answered: true },
    { operation: null, id: null, outcome: "INVALID_REQUEST", answered: true },
  ]);
  expect(JSON.stringify(events)).not.toContain(SECRET);
});

test("what came of a request is told also where its client is not told: one way, a dropped answer, a cut connection", async () => {
  const { broker, session, watching } = await openOrders();
  const cut = Session.open(broker);
  const point = "request.ping";
  for (const action of ["drop_answer", "close_after", "close"] as const)
    await armFault(session, { point, action, times: { nth: 1 } });
  await watching.call("watch", { requests: true });
  session.request({ operation: "produce", topic: "nowhere", acks: "0", one_way: true });
  session.request({ operation: "produce", topic: "orders", acks: "0", one_way: true });
  session.request({ operation: "ping", id: "dropped" });
  await settle();
  for (const id of ["after", "before"]) {
    const client = id === "after" ? cut : Session.open(broker);
    client.request({ operation: "ping", id });
    await settle();
  }
  expect(ends(await told(watching))).toEqual([
    { operation: "produce", id: null, outcome: "UNKNOWN_TOPIC", answered: false },
    { operation: "produce", id: null, outcome: "ok", answered: false },
    { operation: "ping", id: "dropped", outcome: "ok", answered: false },
    { operation: "ping", id: "after", outcome: "ok", answered: false },
    { operation: "ping", id: "before", outcome: null, answered: false },
  ]);
});

test("requests are told in the order in which they are carried out, over all connections, with the numbers of the trace", async () => {
  const { broker, session, watching } = await openOrders();
  const poller = Session.open(broker);
  await watching.call("watch", { requests: true, kinds: ["request_taken"] });
  poller.request({ operation: "fetch", ...PLACE, offset: 0, min_bytes: 1, max_wait_ms: 60_000, id: "poll" });
  await settle();
  session.request({ operation: "ping" });
  session.request({ operation: "produce", ...PLACE, value_b64: base64("a") });
  const events = await told(watching);
  const shown = events.map(({ kind, request, operation }) => [kind, request, operation]);
  expect(shown).toEqual([
    ["request_taken", 3, "fetch"],
    ["request_taken", 4, "ping"],
    ["request_done", 4, "ping"],
    ["request_taken", 5, "produce"],
    ["request_done", 3, "fetch"],
    ["request_done", 5, "produce"],
  ]);
  const { lines } = await Session.open(broker).call("read_history");
  const entries = lines.map((line) => JSON.parse(line));
  const traced = entries.flatMap(({ request, answer }) => {
    if (request !== undefined) return [["request_taken", request.number]];
    return answer === undefined ? [] : [["request_done", answer.request]];
  });
  // The first two requests came before the watch.
  expect(traced.filter(([, number]) => number > 2)).toEqual(shown.map((each) => each.slice(0, 2)));
});

test("no request is told unless that is asked for; with topics, those that name one of them in whatever field", async () => {
  const { broker, session, watching } = await openOrders();
  const bound = Session.open(broker);
  await watching.call("watch");
  await bound.call("watch", { topics: ["orders"], requests: true, kinds: ["topic_deleted"] });
  await session.call("list_topics");
  await session.call("metadata", { topic: "orders" });
  await session.ask({ operation: "metadata", topic: "others" });
  await session.call("fetch_many", { partitions: [{ ...PLACE, offset: 0 }] });
  session.request({ operation: "join_group", group_id: "g", member_id: "m", topics: ["others", "orders"] });
  expect((await told(watching)).filter(({ kind }) => kind.startsWith("request_"))).toEqual([]);
  const shown = (await told(bound)).filter(({ kind }) => kind === "request_taken");
  expect(shown.map(({ operation, topic, partition }) => [operation, topic, partition])).toEqual([
    ["metadata", "orders", undefined],
    ["fetch_many", undefined, undefined],
    ["join_group", undefined, undefined],
  ]);
});

test("a request that was taken before the watch is not told of when it ends, whoever else watches", async () => {
  const { broker, session, watching } = await openOrders();
  await watching.call("watch", { requests: true });
  const poller = Session.open(broker);
  poller.request({ operation: "fetch", ...PLACE, offset: 0, min_bytes: 1, max_wait_ms: 60_000 });
  await settle();
  const late = Session.open(broker);
  await late.call("watch", { requests: true });
  await session.call("produce", { ...PLACE, value_b64: base64("a") });
  const others = ends(await told(watching)).map((end) => (end as Event).operation);
  expect(others).toEqual(["watch", "fetch", "produce"]);
  expect(ends(await told(late)).map((end) => (end as Event).operation)).toEqual(["produce"]);
});

test("a client that does not read slows no request, and is told afterwards how many lines it has missed", async () => {
  const { session, watching } = await openOrders();
  await watching.call("watch", { kinds: ["request_taken", "request_done"] });
  watching.stream.pause();
  const REQUESTS = 6_000;
  for (let sent = 0; sent < REQUESTS; sent += 1) session.request({ operation: "ping" });
  for (let answered = 0; answered < REQUESTS; answered += 1)
    expect(await session.answer()).toEqual({ ok: true });
  watching.stream.resume();
  const before = await told(watching);
  const dropped = before.pop();
  expect(dropped?.kind).toBe("events_dropped");
  expect(before.length + Number(dropped?.count)).toBe(2 * REQUESTS);
  await session.call("ping");
  expect((await told(watching)).map(({ kind, operation }) => [kind, operation])).toEqual([
    ["request_taken", "ping"],
    ["request_done", "ping"],
  ]);
});

test("who watches requests changes nothing of the history: neither numbers nor lines, and none of them is an event of it", async () => {
  const historyOf = async (requests: boolean) => {
    const { session, watching } = await openOrders({ seed: 3 });
    await watching.call("watch", requests ? { requests } : { kinds: ["appended"] });
    await session.call("produce", { ...PLACE, value_b64: base64("a") });
    await session.call("save_snapshot", { name: "one" });
    const { lines } = await session.call("read_history");
    return lines.filter((line) => !line.includes('\\"watch\\"'));
  };
  const watched = await historyOf(true);
  expect(watched).toEqual(await historyOf(false));
  expect(watched.join("\n")).not.toContain("request_taken");
});

test("who loads a snapshot and watches goes on seeing requests, with the numbers of the loaded history", async () => {
  const { session, watching } = await openOrders();
  await session.call("save_snapshot", { name: "one" });
  for (let number = 0; number < 5; number += 1) await session.call("ping");
  await watching.call("watch", { requests: true });
  await watching.call("load_snapshot", { name: "one" });
  expect(await told(watching)).toEqual([]);
  await watching.call("list_snapshots");
  watching.request({ operation: "ping" });
  expect(await told(watching)).toMatchObject([
    { kind: "request_taken", request: 2, operation: "ping" },
    { kind: "request_done", request: 2, operation: "ping" },
  ]);
});

test("in auto mode requests are told as well", async () => {
  const { session, watching } = await openOrders({ clock: "auto", lab: false, start_time: undefined });
  await watching.call("watch", { kinds: ["request_done"] });
  await session.call("produce", { ...PLACE, value_b64: base64("a"), id: "one" });
  expect(ends(await told(watching))).toEqual([
    { operation: "produce", id: "one", outcome: "ok", answered: true },
  ]);
});

test("the reference lists both kinds with all of their facts", () => {
  expectTypeOf<keyof typeof REQUEST_EVENTS>().toEqualTypeOf<RequestEvent["kind"]>();
  const facts = (kind: RequestEvent["kind"]) => factNames(REQUEST_EVENTS[kind][1]);
  expect(facts("request_taken")).toEqual(["request", "connection", "operation", "id"]);
  expect(facts("request_done")).toEqual([...facts("request_taken"), "outcome", "answered"]);
});
