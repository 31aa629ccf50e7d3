/** Watching: a connection of its own, and no silent gap. */
import { expect, test } from "vitest";
import { quiet, ScriptedPeer } from "../test/support/scripted-peer.ts";
import { connect } from "./client.ts";
import { ManualClock } from "./clock.ts";
import { type ClusterEvent, type EventQuery, watchFields } from "./cluster-event.ts";

const line = (number: number, facts: object = {}) =>
  `${JSON.stringify({ event: { number, time_ms: 7, kind: "flushed", ...facts } })}\n`;

async function watching(query?: EventQuery) {
  const peer = new ScriptedPeer();
  const clock = new ManualClock();
  const client = await connect({ link: peer.link }, { clock, requestTimeoutMs: 1_000 });
  const events = client.stepper().events(query);
  return { peer, clock, client, events };
}

/** As `watching`, with the watch answered. */
async function begun(query?: EventQuery) {
  const all = await watching(query);
  const opening = all.events.open();
  const request = await all.peer.next("watch");
  request.answer({});
  await opening;
  return { ...all, request };
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

test("requests are asked for where they are wanted, and an older broker is not sent what it does not know", async () => {
  const { peer, client, events, request } = await begun({ requests: true, kinds: ["appended"] });
  expect(request.fields).toMatchObject({ requests: true, kinds: ["appended"] });
  const asked = { request: 3, connection: 2, operation: "produce", id: null, topic: "orders" };
  peer.write(line(0, { kind: "request_taken", ...asked }));
  peer.write(line(2, { kind: "request_done", ...asked, outcome: "UNKNOWN_TOPIC", answered: false }));
  expect((await events.next()).value).toMatchObject({ number: 0, kind: "request_taken", request: 3 });
  const { value: done } = await events.next();
  // The kind tells the compiler which facts there are.
  if (done?.kind !== "request_done") throw new Error("expected how it ended");
  expect([done.operation, done.id, done.outcome, done.answered]).toEqual([
    "produce",
    null,
    "UNKNOWN_TOPIC",
    false,
  ]);
  await client.close();
  expect(watchFields({ requests: false })).toEqual({});
  expect(() => watchFields({ requests: "all" as never })).toThrow("expected true or false");
});

test("events come in the SDK's names, over a connection of their own, and break ends it", async () => {
  const { peer, client, events, request } = await begun({
    topics: ["orders"],
    kinds: ["config_altered", "isr_changed"],
  });
  expect(request.fields).toMatchObject({ topics: ["orders"], kinds: ["config_altered", "isr_changed"] });
  expect(request.link).toBe(1);
  const moves = [{ broker_id: 3, reason: "lag", log_end_offset: null }];
  const isr = {
    kind: "isr_changed",
    topic: "orders",
    partition: 0,
    from: [1, 3],
    to: [1],
    leader_epoch: 4,
    moves,
  };
  peer.write(line(5, isr) + line(9, { kind: "config_altered", changes: { retention_ms: 5 } }).slice(0, 30));
  peer.write(line(9, { kind: "config_altered", changes: { retention_ms: 5 } }).slice(30));
  const seen: ClusterEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (seen.length === 2) break;
  }
  expect(seen).toEqual([
    {
      ...{ number: 5, timeMs: 7, kind: "isr_changed", topic: "orders", partition: 0, from: [1, 3], to: [1] },
      ...{ leaderEpoch: 4, moves: [{ brokerId: 3, reason: "lag", logEndOffset: null }] },
    },
    { number: 9, timeMs: 7, kind: "config_altered", changes: { retention_ms: 5 } },
  ]);
  expect(peer.openLinkCount).toBe(1);
  expect(await events.next()).toEqual({ done: true, value: undefined });
  await client.close();
});

test("a connection that is lost ends the iteration with an error that says after which event", async () => {
  for (const lose of [(peer: ScriptedPeer) => peer.breakLink(), (peer: ScriptedPeer) => peer.endLink()]) {
    const { peer, client, events } = await begun();
    peer.write(line(12));
    expect(await events.next()).toMatchObject({ value: { number: 12 } });
    const next = failure(events.next());
    lose(peer);
    expect(await next).toMatchObject({ code: "CONNECTION", details: { lastNumber: 12 } });
    expect(await events.next()).toMatchObject({ done: true });
    expect(peer.linkCount).toBe(2);
    await client.close();
  }
});

test("the client's end, and close, end an iteration that waits without an error, and leave no connection", async () => {
  const { peer, client, events, clock } = await begun();
  const other = client.stepper().events();
  const waitingElsewhere = other.next();
  (await peer.next("watch")).answer({});
  await quiet();
  const waiting = events.next();
  await events.close();
  expect(await waiting).toMatchObject({ done: true });
  await client.close();
  expect(await waitingElsewhere).toMatchObject({ done: true });
  expect(peer.openLinkCount).toBe(0);
  expect(clock.waiting).toBe(0);
  expect(() => client.stepper().events()).toThrow("closed");
});

test("a refusal, no answer in time, a signal and nonsense each fail with their own error", async () => {
  const refused = await watching();
  const refusal = failure(refused.events.next());
  (await refused.peer.next("watch")).refuse("INVALID_REQUEST");
  expect(await refusal).toMatchObject({ code: "INVALID_REQUEST" });
  await refused.client.close();

  const silent = await watching();
  const timedOut = failure(silent.events.open());
  await silent.peer.next("watch");
  silent.clock.advance(1_000);
  expect(await timedOut).toMatchObject({ code: "TIMEOUT" });
  await silent.client.close();

  const abort = new AbortController();
  const stopped = await begun({ signal: abort.signal });
  const waiting = failure(stopped.events.next());
  abort.abort(new Error("enough"));
  expect(await waiting).toMatchObject({ message: "enough" });
  await stopped.client.close();

  for (const nonsense of ['{"event":{"number":"x"}}\n', '{"ok":true}\n', "HTTP/1.1 400\n"]) {
    const { peer, client, events } = await begun();
    peer.write(nonsense);
    expect(await failure(events.next())).toMatchObject({ code: "INVALID_ANSWER" });
    expect(peer.openLinkCount).toBe(1);
    await client.close();
  }
});

test("a watch on the connection of the requests is refused, since events would break it", async () => {
  const { client } = await watching();
  await expect(client.call("watch", {})).rejects.toMatchObject({ code: "USAGE" });
  await expect(client.raw("watch")).rejects.toMatchObject({ code: "USAGE" });
  await client.close();
});

test("who does not iterate does not read, so that the broker is held back and not this process's memory", async () => {
  const { peer, client, events } = await begun();
  const LINES = 20_000;
  for (let number = 1; number <= LINES; number += 1) peer.write(line(number));
  await quiet();
  expect(peer.unsentBytes).toBeGreaterThan(500_000);
  for (let number = 1; number <= LINES; number += 1)
    expect((await events.next()).value).toHaveProperty("number", number);
  await client.close();
});
