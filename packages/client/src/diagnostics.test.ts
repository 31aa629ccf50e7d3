/** What subscribers of the diagnostics channels are told, and that nothing is made for nobody. */
import { tracingChannel } from "node:diagnostics_channel";
import { afterEach, expect, test } from "vitest";
import { consuming, numbered, P0 } from "../test/support/consuming.ts";
import { failure } from "../test/support/failure.ts";
import { grouping } from "../test/support/grouping.ts";
import { producing } from "../test/support/producing.ts";
import { sendTo, transacting } from "../test/support/transacting.ts";
import { type Diagnostics, traced } from "./diagnostics.ts";

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** All that is published until the test ends: the phase, and what was told, as it stood then. */
function listen<Name extends keyof Diagnostics>(name: Name) {
  const heard: [phase: string, told: Diagnostics[Name]][] = [];
  const hear = (phase: string) => (told: Diagnostics[Name]) => void heard.push([phase, { ...told }]);
  const channel = tracingChannel<unknown, Diagnostics[Name]>(name);
  const subscribers = {
    start: hear("start"),
    end: hear("end"),
    asyncStart: hear("asyncStart"),
    asyncEnd: hear("asyncEnd"),
    error: hear("error"),
  };
  channel.subscribe(subscribers);
  stops.push(() => channel.unsubscribe(subscribers));
  return { heard, ended: () => heard.filter(([phase]) => phase === "asyncEnd").map(([, told]) => told) };
}

test("a produce is told of with its place, its size, its attempt, and where it landed", async () => {
  const { heard, ended } = listen("minikafka:produce");
  const { broker, client, clock, peer, producer } = await producing();
  broker.byHand("produce", 1);
  const sent = producer.sendMany(["a", "b"].map((value) => ({ topic: "orders", partition: 0, value })));
  (await peer.next("produce")).refuse("NOT_ENOUGH_REPLICAS");
  while (heard.length < 4) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1_000);
  await sent;
  const place = { ...P0, records: 2, bytes: expect.any(Number), acks: 1, transactionalId: null };
  expect(heard.map(([phase]) => phase)).toEqual([
    ...["start", "end", "error", "asyncStart", "asyncEnd"],
    ...["start", "end", "asyncStart", "asyncEnd"],
  ]);
  expect(heard[0]?.[1]).toEqual({ ...place, attempt: 1 });
  expect(ended()).toMatchObject([
    { ...place, attempt: 1, error: { code: "NOT_ENOUGH_REPLICAS" } },
    { ...place, attempt: 2, result: { offset: 0 } },
  ]);
  await client.close();
});

test("a request and a connection are told of, also those that fail", async () => {
  const requests = listen("minikafka:request");
  const connects = listen("minikafka:connect");
  const { broker, client, peer } = await producing();
  broker.byHand("ping");
  const raw = client.raw("ping", {}, { timeoutMs: 5 });
  (await peer.next("ping")).answer({});
  await raw;
  const aborted = client.call("ping", {}, { signal: AbortSignal.abort(new Error("no more")) });
  await expect(aborted).rejects.toThrow("no more");
  expect(connects.ended()).toMatchObject([{ peer: "the broker in this process" }]);
  const told = { peer: "the broker in this process", operation: "ping", fields: {}, oneWay: false };
  expect(requests.ended()).toMatchObject([
    { ...told, timeoutMs: 5, result: { ok: true } },
    { ...told, error: { message: "no more" } },
  ]);
  await client.close();
});

test("a fetch is told of with what it asked for and how much came", async () => {
  const { heard, ended } = listen("minikafka:fetch");
  const { broker, client, consumer } = await consuming();
  broker.append("orders", 0, numbered(3));
  consumer.assign([{ ...P0, offset: 1 }]);
  await consumer.poll();
  const asked = { partitions: [{ ...P0, offset: 1 }], isolation: "read_uncommitted", maxWaitMs: 0 };
  expect(heard[0]?.[1]).toMatchObject({ ...asked, bytes: undefined });
  expect(ended()[0]).toMatchObject({ ...asked, bytes: broker.frames("orders", 0)[0]?.length });
  await client.close();
});

test("a member's commits and rebalances are told of", async () => {
  const commits = listen("minikafka:commit");
  const rebalances = listen("minikafka:rebalance");
  const { broker, member, close } = await grouping({ orders: 1 });
  broker.append("orders", 0, numbered(2));
  const consumer = await member("ann");
  await consumer.subscribe("orders");
  await consumer.poll();
  await consumer.commit();
  await consumer.close();
  const who = { groupId: "g", memberId: "ann", generation: 1 };
  expect(commits.ended()).toMatchObject([{ ...who, offsets: [{ ...P0, offset: 2 }], transactionalId: null }]);
  expect(rebalances.ended()).toMatchObject([
    { ...who, assigned: [P0], revoked: [], lost: [], result: false },
    { ...who, assigned: [], revoked: [P0], lost: [], result: false },
  ]);
  await close();
});

test("a transaction's offsets and its end are told of", async () => {
  const commits = listen("minikafka:commit");
  const ends = listen("minikafka:transaction");
  const { client, producer } = await transacting();
  await producer.transaction((tx) => tx.sendOffsets({ groupId: "g", offsets: [{ ...P0, offset: 1 }] }));
  const tx = await producer.beginTransaction();
  await sendTo(tx, "gone");
  await tx.abort();
  const who = {
    transactionalId: "billing",
    producerId: expect.any(Number),
    producerEpoch: expect.any(Number),
  };
  expect(ends.ended()).toMatchObject([
    { ...who, end: "commit" },
    { ...who, end: "abort" },
  ]);
  expect(commits.ended()).toMatchObject([
    {
      groupId: "g",
      memberId: null,
      generation: null,
      offsets: [{ ...P0, offset: 1 }],
      transactionalId: "billing",
    },
  ]);
  await client.close();
});

test("while nobody listens nothing is made, and what fails fails as it is", async () => {
  let made = 0;
  const told = () => {
    made += 1;
    return { peer: "nobody" };
  };
  expect(await traced("minikafka:connect", told, async (published) => published)).toBeNull();
  expect(made).toBe(0);
  listen("minikafka:connect");
  expect(await traced("minikafka:connect", told, async (published) => published?.peer)).toBe("nobody");
  expect(made).toBe(1);
});

test("a subscriber's storage holds where the work is done", async () => {
  const { AsyncLocalStorage } = await import("node:async_hooks");
  const spans = new AsyncLocalStorage<string>();
  const channel = tracingChannel("minikafka:request");
  channel.start.bindStore(spans, () => "a span");
  stops.push(() => channel.start.unbindStore(spans));
  const { client } = await producing();
  expect(
    await traced(
      "minikafka:request",
      () => ({}) as never,
      async () => spans.getStore(),
    ),
  ).toBe("a span");
  expect(await failure(client.call("metadata", { topic: "gone" }))).toMatchObject({ code: "UNKNOWN_TOPIC" });
  await client.close();
});
