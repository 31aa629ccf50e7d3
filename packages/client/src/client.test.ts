import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { failure } from "../test/support/failure.ts";
import { quiet, ScriptedPeer } from "../test/support/scripted-peer.ts";
import { Client, connect } from "./client.ts";
import type { ClientOptions } from "./client-options.ts";
import { ManualClock } from "./clock.ts";
import { LIMITS } from "./limits.ts";

async function connected(options: { requestTimeoutMs?: number } = {}) {
  const peer = new ScriptedPeer();
  const clock = new ManualClock();
  const client = await connect({ link: peer.link }, { clock, ...options });
  return { peer, clock, client };
}

test("answers are matched to requests by id, in whatever order they come", async () => {
  const { peer, client } = await connected();
  const first = client.call("metadata", { topic: "a" });
  const second = client.call("metadata", { topic: "b" });
  const [one, two] = [await peer.next("metadata"), await peer.next("metadata")];
  two.answer({ topic: "b", partitions: [] });
  one.answer({ topic: "a", partitions: [] });
  expect((await second).topic).toBe("b");
  expect((await first).topic).toBe("a");
  await client.close();
});

test("an error of the broker comes with its code, its details and the table's retriable", async () => {
  const { peer, client } = await connected();
  const call = failure(client.call("fetch", { topic: "t", partition: 0, offset: 9 }));
  (await peer.next("fetch")).refuse("OFFSET_OUT_OF_RANGE", { log_start_offset: 0, log_end_offset: 3 });
  expect(await call).toMatchObject({
    code: "OFFSET_OUT_OF_RANGE",
    retriable: false,
    details: { log_start_offset: 0, log_end_offset: 3 },
  });
  await client.close();
});

test("a request in flight when the link breaks fails as retriable with its fate unknown; the next one reconnects", async () => {
  const { peer, client } = await connected();
  const lost = failure(client.call("ping", {}));
  await peer.next("ping");
  peer.breakLink();
  const error = await lost;
  expect(error).toMatchObject({
    code: "CONNECTION",
    retriable: true,
    details: { operation: "ping", sent: true },
  });
  expect(error.message).toContain("whether it took effect is unknown");
  const again = client.call("ping", {});
  await quiet();
  expect(peer.linkCount).toBe(1);
  (client.clock as ManualClock).advance(LIMITS.reconnectBackoffMs);
  (await peer.next("ping")).answer({});
  await again;
  expect(peer.linkCount).toBe(2);
  await client.close();
});

test("half an answer before the end is no answer", async () => {
  const { peer, client } = await connected();
  const lost = failure(client.call("ping", {}));
  (await peer.next("ping")).write('{"ok":true,"id":1');
  peer.endLink();
  expect(await lost).toMatchObject({ code: "CONNECTION", details: { sent: true } });
  await client.close();
});

test("reconnecting waits longer after each failure, up to a bound, and a waiting request goes out once it succeeds", async () => {
  const { peer, clock, client } = await connected();
  peer.breakLink();
  await quiet();
  peer.refuseLinks(new Error("ECONNREFUSED"));
  const call = client.call("ping", {});
  for (const [index, waitMs] of [50, 100, 200, 400, 800, 1_000, 1_000].entries()) {
    clock.advance(waitMs - 1);
    await quiet();
    expect(peer.attemptCount).toBe(1 + index);
    clock.advance(1);
    await quiet();
    expect(peer.attemptCount).toBe(2 + index);
  }
  peer.refuseLinks(null);
  clock.advance(999);
  await quiet();
  expect(peer.linkCount).toBe(1);
  clock.advance(1);
  (await peer.next("ping")).answer({});
  await call;
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("a request that could not be sent in time says so, with what connecting failed with", async () => {
  const { peer, clock, client } = await connected({ requestTimeoutMs: 500 });
  peer.breakLink();
  peer.refuseLinks(new Error("connect ECONNREFUSED"));
  const call = failure(client.call("ping", {}));
  for (let step = 0; step < 10; step += 1) {
    clock.advance(50);
    await quiet();
  }
  const error = await call;
  expect(error).toMatchObject({ code: "CONNECTION", retriable: true, details: { sent: false } });
  expect(error.message).toContain("ECONNREFUSED");
  clock.advance(10_000);
  await quiet();
  expect(clock.waiting).toBe(0);
  await client.close();
});

test("a request without an answer times out, and its late answer disturbs nobody", async () => {
  const { peer, clock, client } = await connected({ requestTimeoutMs: 1_000 });
  const slow = failure(client.call("ping", {}));
  const late = await peer.next("ping");
  const other = client.call("clock", {});
  (await peer.next("clock")).answer({ now_ms: 1 });
  await other;
  clock.advance(1_000);
  expect(await slow).toMatchObject({
    code: "TIMEOUT",
    retriable: true,
    details: { sent: true, timeoutMs: 1_000 },
  });
  late.answer({});
  const next = client.call("clock", {});
  (await peer.next("clock")).answer({ now_ms: 2 });
  expect((await next).now_ms).toBe(2);
  expect(peer.linkCount).toBe(1);
  await client.close();
});

test("a link that has been silent for a whole request timeout is given up", async () => {
  const { peer, clock, client } = await connected({ requestTimeoutMs: 1_000 });
  const slow = failure(client.call("ping", {}));
  await peer.next("ping");
  clock.advance(1_000);
  expect(await slow).toMatchObject({ code: "TIMEOUT", details: { sent: true } });
  await quiet();
  expect(peer.openLinkCount).toBe(0);
  await client.close();
});

test("the wait that a request asks for is no timeout", async () => {
  const { peer, clock, client } = await connected({ requestTimeoutMs: 1_000 });
  const call = client.call("fetch", { topic: "t", partition: 0, offset: 0, max_wait_ms: 5_000 });
  const request = await peer.next("fetch");
  clock.advance(5_500);
  const marks = { high_watermark: 0, last_stable_offset: 0, log_start_offset: 0 };
  request.answer({ records: [], next_offset: 0, ...marks });
  expect((await call).next_offset).toBe(0);
  await client.close();
});

test("at most 64 requests are out at once; the others follow as answers come, in their order", async () => {
  const { peer, client } = await connected();
  const calls = Array.from({ length: 70 }, (_, index) => client.call("metadata", { topic: `t${index}` }));
  await quiet();
  expect(peer.unread).toHaveLength(64);
  for (let index = 0; index < 70; index += 1) {
    const request = await peer.next("metadata");
    expect(request.fields.topic).toBe(`t${index}`);
    request.answer({ topic: request.fields.topic, partitions: [] });
  }
  expect((await Promise.all(calls)).at(-1)?.topic).toBe("t69");
  await client.close();
});

test.each([
  ["what is not JSON", "HTTP/1.1 400 Bad Request\n"],
  ["an answer without an envelope", '{"id":1}\n'],
  ["an id that nobody waits for", '{"ok":true,"id":99}\n'],
  ["a success without an id", '{"ok":true}\n'],
])("%s breaks the link with INVALID_ANSWER", async (_, line) => {
  const { peer, client } = await connected();
  const call = failure(client.call("ping", {}));
  (await peer.next("ping")).write(line);
  expect(await call).toMatchObject({ code: "INVALID_ANSWER", retriable: false, details: { sent: true } });
  expect(peer.openLinkCount).toBe(0);
  await client.close();
});

test("an answer that never ends is cut off at its bound", async () => {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { answerBytesMax: 10_000, clock: new ManualClock() });
  const call = failure(client.call("ping", {}));
  (await peer.next("ping")).write("x".repeat(10_001));
  expect(await call).toMatchObject({ code: "INVALID_ANSWER" });
  expect(peer.openLinkCount).toBe(0);
  await client.close();
});

test("an answer with other fields than its operation's fails that call alone", async () => {
  const { peer, client } = await connected();
  const call = failure(client.call("clock", {}));
  (await peer.next("clock")).write('{"ok":true,"id":1,"now_ms":"noon"}\n');
  expect(await call).toMatchObject({ code: "INVALID_ANSWER", details: { operation: "clock" } });
  const next = client.call("ping", {});
  (await peer.next("ping")).answer({});
  await next;
  expect(peer.linkCount).toBe(1);
  await client.close();
});

test("a broker that turns the connection away says so to all, who may try again since nothing was read", async () => {
  const { peer, client } = await connected();
  const call = failure(client.call("ping", {}));
  (await peer.next("ping")).write(
    '{"ok":false,"code":"TOO_MANY_CONNECTIONS","message":"full","retriable":true}\n',
  );
  expect(await call).toMatchObject({ code: "TOO_MANY_CONNECTIONS", retriable: true });
  await client.close();
});

test("who asks a port for Kafka's clients is told where lines of JSON are taken, and nothing of requests that may have taken effect", async () => {
  const { peer, client } = await connected();
  const calls = [failure(client.call("hello", {})), failure(client.call("ping", {}))];
  await peer.next("hello");
  (await peer.next("ping")).write(
    '{"ok":false,"code":"INVALID_REQUEST","message":"over there","retriable":false,"details":{"json_address":"127.0.0.1:9192"}}\n',
  );
  for (const error of await Promise.all(calls))
    expect(error).toMatchObject({ code: "INVALID_REQUEST", message: "over there", retriable: false });
  await client.close();
});

test("of several requests the longest is told that its line was too long", async () => {
  const { peer, client } = await connected();
  const short = failure(client.call("ping", {}));
  const long = failure(client.call("metadata", { topic: "t".repeat(500) }));
  await peer.next("ping");
  (await peer.next("metadata")).write(
    '{"ok":false,"code":"FRAME_TOO_LARGE","message":"at most 100","retriable":false}\n',
  );
  expect(await long).toMatchObject({ code: "FRAME_TOO_LARGE" });
  expect(await short).toMatchObject({ code: "CONNECTION", details: { sent: true } });
  await client.close();
});

test("a request longer than the frame limit fails here and harms nobody", async () => {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { frameBytesMax: 10_000, clock: new ManualClock() });
  expect(await failure(client.call("metadata", { topic: "x".repeat(10_000) }))).toMatchObject({
    code: "FRAME_TOO_LARGE",
  });
  const next = client.call("ping", {});
  (await peer.next("ping")).answer({});
  await next;
  await client.close();
});

test("an abort ends the wait with the signal's reason and leaves the link alone", async () => {
  const { peer, client } = await connected();
  const abort = new AbortController();
  const call = client.call("ping", {}, { signal: abort.signal });
  const request = await peer.next("ping");
  abort.abort(new Error("changed my mind"));
  await expect(call).rejects.toThrow("changed my mind");
  await expect(client.call("ping", {}, { signal: abort.signal })).rejects.toThrow("changed my mind");
  request.answer({});
  const next = client.call("clock", {});
  (await peer.next("clock")).answer({ now_ms: 0 });
  await next;
  await client.close();
});

test("connect fails with CONNECTION when nobody is there, after as many attempts as were asked for", async () => {
  const clock = new ManualClock();
  let attempts = 0;
  const link = () => {
    attempts += 1;
    throw new Error("ENOENT");
  };
  expect(await failure(connect({ link }, { clock }))).toMatchObject({
    code: "CONNECTION",
    details: { sent: false },
  });
  expect(attempts).toBe(1);
  const thrice = failure(connect({ link }, { clock, attemptsMax: 3 }));
  for (let step = 0; step < 4; step += 1) {
    await quiet();
    clock.advance(100);
  }
  expect(await thrice).toMatchObject({ code: "CONNECTION" });
  expect(attempts).toBe(4);
  expect(clock.waiting).toBe(0);
});

test("connect gives up at its timeout and at its signal, and a link that comes later is destroyed", async () => {
  const clock = new ManualClock();
  const late = new PassThrough();
  let give = (_: PassThrough) => {};
  const link = () => new Promise<PassThrough>((resolve) => (give = resolve));
  const slow = failure(connect({ link }, { clock, connectTimeoutMs: 100 }));
  await quiet();
  clock.advance(100);
  expect(await slow).toMatchObject({ code: "CONNECTION" });
  give(late);
  await quiet();
  expect(late.destroyed).toBe(true);
  const abort = new AbortController();
  const aborted = connect({ link }, { clock, signal: abort.signal });
  abort.abort(new Error("never mind"));
  await expect(aborted).rejects.toThrow("never mind");
  expect(clock.waiting).toBe(0);
});

test("close ends requests in flight, says that their effect is unknown, and nothing can be called after it", async () => {
  const { peer, clock, client } = await connected();
  const call = failure(client.call("ping", {}));
  await peer.next("ping");
  await client.close();
  expect(await call).toMatchObject({ code: "CLOSED", retriable: false, details: { sent: true } });
  expect(await failure(client.call("ping", {}))).toMatchObject({ code: "CLOSED", details: { sent: false } });
  expect([peer.openLinkCount, clock.waiting]).toEqual([0, 0]);
});

test("close during the wait for the next attempt ends it and what waits for it", async () => {
  const { peer, clock, client } = await connected();
  peer.refuseLinks(new Error("ECONNREFUSED"));
  peer.breakLink();
  const call = failure(client.call("ping", {}));
  await quiet();
  expect(clock.waiting).toBe(2);
  await client.close();
  expect(await call).toMatchObject({ code: "CLOSED", details: { sent: false } });
  expect(clock.waiting).toBe(0);
});

test("close during an attempt ends it, and a link that comes of it is destroyed", async () => {
  const clock = new ManualClock();
  const late = new PassThrough();
  let give = (_: PassThrough) => {};
  const client = new Client({ link: () => new Promise((resolve) => (give = resolve)) }, { clock });
  const call = failure(client.call("ping", {}));
  await quiet();
  await client.close();
  expect(await call).toMatchObject({ code: "CLOSED" });
  give(late);
  await quiet();
  expect([late.destroyed, client.isConnected, clock.waiting]).toEqual([true, false, 0]);
});

test("an idle client whose link breaks starts nothing until it is called", async () => {
  const { peer, clock, client } = await connected();
  peer.breakLink();
  await quiet();
  clock.advance(100_000);
  await quiet();
  expect([peer.linkCount, clock.waiting]).toEqual([1, 0]);
  await client.close();
});

test("await using closes the client", async () => {
  const { peer, client } = await connected();
  {
    await using used = client;
    expect(used.isConnected).toBe(true);
  }
  expect(peer.openLinkCount).toBe(0);
});

test("raw sends any operation as it is and gives all of the answer", async () => {
  const { peer, client } = await connected();
  const call = client.raw("ping", {});
  (await peer.next("ping")).write('{"ok":true,"id":1,"mood":"fine"}\n');
  expect(await call).toEqual({ ok: true, id: 1, mood: "fine" });
  await client.close();
});

test("raw gives long Base64 as the text that it is on the wire", async () => {
  const { peer, client } = await connected();
  const call = client.raw("ping", {});
  const batches_b64 = Buffer.alloc(6_000, "x").toString("base64");
  const fields = { ok: true, id: 1, partitions: [{ partition: 0, batches_b64 }, null] };
  (await peer.next("ping")).write(`${JSON.stringify(fields)}\n`);
  expect(await call).toEqual(fields);
  await client.close();
});

test.each([
  [{ broker: "127.0.0.1", clock: new ManualClock() }, {}, "second argument"],
  [{ broker: "127.0.0.1" }, { requestTimeout: 5 }, 'no "requestTimeout"'],
])("an option that would be ignored is refused: %j, %j", (target, options, said) => {
  const message = expect.stringContaining(said);
  expect(() => new Client(target, options as ClientOptions)).toThrow(
    expect.objectContaining({ code: "USAGE", message }),
  );
});
