/** What happens, told over HTTP while it happens. */
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Broker } from "../src/daemon.ts";
import { STREAMS_MAX } from "../src/http/event-streams.ts";
import { base64, openBroker, Session, settle } from "./support/broker.ts";
import { get, getJson, portOf, readEvents } from "./support/http.ts";
import { readMetrics } from "./support/metrics-text.ts";

/** Of who looks again and again, on a machine that is busy. */
const PATIENCE = { timeout: 10_000 };

async function openOrders() {
  const broker = await openBroker({ http_port: 0 });
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const produce = (value: string, topic = "orders") =>
    session.call("produce", { topic, value_b64: base64(value) });
  return { broker, session, produce };
}

async function countOf(broker: Broker, name: string): Promise<number> {
  return readMetrics((await get(broker, "/metrics")).text).value(name) ?? Number.NaN;
}

test("an event over HTTP is the event of a watch, with its number as its id and its kind as its name", async () => {
  const { broker, produce } = await openOrders();
  const watching = Session.open(broker);
  await watching.call("watch", {});
  const reader = await readEvents(broker);
  await produce("a");
  for (let count = 0; count < 2; count += 1) {
    const line = await watching.answer();
    const { id, kind, data } = await reader.event();
    expect(data).toEqual(line?.event);
    expect([kind, id.split("-")[2]]).toEqual([data.kind, String(data.number)]);
  }
});

test("kinds, topics and requests choose what is told, as a watch's do", async () => {
  const { broker, session, produce } = await openOrders();
  await session.call("create_topic", { topic: "other", partitions: 1 });
  const appends = await readEvents(broker, "?kinds=appended,truncated&topics=orders");
  const requests = await readEvents(broker, "?kinds=topic_created&requests=true");
  await produce("a", "other");
  await produce("b");
  expect((await appends.event()).data).toMatchObject({ kind: "appended", topic: "orders" });
  const kinds = [];
  for (let count = 0; count < 4; count += 1) kinds.push((await requests.event()).kind);
  expect(kinds).toEqual(["request_taken", "request_done", "request_taken", "request_done"]);
});

test("whoever comes back is told how much was missed, and whether it can be known", async () => {
  const { broker, produce } = await openOrders();
  const first = await readEvents(broker);
  await produce("a");
  const { id } = await first.event();
  const again = await readEvents(broker, "", { "last-event-id": id });
  expect((await again.event()).data).toEqual({ kind: "events_missed", since: id, count: expect.any(Number) });
  const [, , number] = id.split("-");
  const { body } = await getJson(broker, "/snapshot");
  expect(body.event_number - Number(number)).toBeGreaterThan(0);
  const none = await readEvents(broker, "", { "last-event-id": body.event_id });
  await produce("b");
  expect((await none.event()).kind).toBe("appended");
  for (const strange of ["00000000-0-1", "7", "x", `${id}9`]) {
    const reader = await readEvents(broker, "", { "last-event-id": strange });
    expect((await reader.event()).data).toEqual({ kind: "events_missed", since: strange, count: null });
  }
});

test("a state and the events behind it fit together without a hole", async () => {
  const { broker, produce } = await openOrders();
  const reader = await readEvents(broker);
  await produce("a");
  const { body } = await getJson(broker, "/snapshot");
  await produce("b");
  const partition = body.topics.find(({ topic }: { topic: string }) => topic === "orders").partitions[0];
  const later = [];
  for (;;) {
    const { data } = await reader.event();
    if (data.kind === "appended" && Number(data.number) > body.event_number) later.push(data.base_offset);
    if (later.length > 0) break;
  }
  expect(later).toEqual([partition.log_end_offset]);
});

test("a reader that is too slow is told how much it missed, and holds nobody up", async () => {
  const broker = await openBroker({ http_port: 0, clock: "auto", start_time: undefined });
  const socket = connect(portOf(broker), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write("GET /events?kinds=foreign_file_ignored HTTP/1.0\r\nHost: localhost\r\n\r\n");
  await expect.poll(async () => await countOf(broker, "minikafka_event_streams"), PATIENCE).toBe(1);
  // Long events, so that few of them are more than the system keeps for a reader.
  const path = "p".repeat(100_000);
  let sent = 0;
  while ((await countOf(broker, "minikafka_events_dropped_total")) === 0 && sent < 1_000) {
    for (let count = 0; count < 20; count += 1)
      broker.cluster.env.trace({ kind: "foreign_file_ignored", brokerId: 1, path });
    sent += 20;
  }
  const missed = await countOf(broker, "minikafka_events_dropped_total");
  expect(missed).toBeGreaterThan(0);
  let text = "";
  socket.setEncoding("utf8");
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes("event: events_dropped\n") && text.endsWith("\n\n")) break;
  }
  const told = text.match(/^event: foreign_file_ignored$/gm)?.length ?? 0;
  const [, dropped = "{}"] = /^event: events_dropped\ndata: (.*)$/m.exec(text) ?? [];
  expect(JSON.parse(dropped)).toMatchObject({ kind: "events_dropped", count: missed });
  expect(told + missed).toBe(sent);
});

test("there are so many streams and no more, and whoever goes makes room", async () => {
  const { broker } = await openOrders();
  const readers = [];
  for (let count = 0; count < STREAMS_MAX; count += 1) readers.push(await readEvents(broker));
  const { status, headers, body } = await getJson(broker, "/events");
  expect([status, headers["retry-after"], body.error.code]).toEqual([503, "5", "TOO_MANY_STREAMS"]);
  readers[0]?.response.destroy();
  await expect.poll(() => readEvents(broker).then(() => "opened", String), PATIENCE).toBe("opened");
});

test("whoever reads events is let go when the broker stops, and counted no more", async () => {
  const { broker } = await openOrders();
  const reader = await readEvents(broker);
  const closing = broker.close();
  let comment: string | undefined;
  for (let block = await reader.next(); block !== null; block = await reader.next()) comment = block.comment;
  expect(comment).toBe("the broker stops");
  await closing;
});

test("whoever reads events is let go when another state is loaded, and cannot take its numbers for these", async () => {
  const { broker, session, produce } = await openOrders();
  await session.call("save_snapshot", { name: "before", keep: "memory" });
  const reader = await readEvents(broker);
  await produce("a");
  const { id } = await reader.event();
  await session.call("load_snapshot", { name: "before" });
  while ((await reader.next()) !== null) await settle();
  const again = await readEvents(broker, "", { "last-event-id": id });
  expect((await again.event()).data).toEqual({ kind: "events_missed", since: id, count: null });
});
