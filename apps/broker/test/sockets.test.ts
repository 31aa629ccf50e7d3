import { once } from "node:events";
import { connect } from "node:net";
import { MemoryDisk } from "@minikafka/core/testing";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import type { RawSettings } from "../src/config.ts";
import { AddressUnavailable } from "../src/connections/port.ts";
import { type Broker, startBroker } from "../src/daemon.ts";
import { base64, Session, settle } from "./support/broker.ts";

async function listen(settings: RawSettings = {}, disk = new MemoryDisk()): Promise<Broker> {
  const broker = await startBroker({
    settings: { data: "/data", port: 0, ...settings },
    disk,
    log: pino({ level: "silent" }),
  });
  onTestFinished(() => broker.close());
  return broker;
}

async function dial(broker: Broker): Promise<Session> {
  const socket = connect({ port: broker.address?.port ?? 0, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, "connect");
  return new Session(socket);
}

test("all requests that came before the end of the stream are served, also when they are more than fit in hand", async () => {
  const broker = await listen();
  const session = await dial(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const line = `${JSON.stringify({ operation: "produce", topic: "orders", value_b64: base64("v"), acks: "all" })}\n`;
  session.stream.end(line.repeat(1_000));
  for (let offset = 0; offset < 1_000; offset += 1)
    expect(await session.answer()).toMatchObject({ ok: true, offset });
  expect(await session.answer()).toBeNull();
});

test("one connection too many is told so and closed, and a place that becomes free is taken", async () => {
  const broker = await listen({ max_connections: 2 });
  const [first, second] = [await dial(broker), await dial(broker)];
  await Promise.all([first.call("ping"), second.call("ping")]);
  const surplus = await dial(broker);
  expect(await surplus.answer()).toMatchObject({ ok: false, code: "TOO_MANY_CONNECTIONS", retriable: true });
  expect(await surplus.answer()).toBeNull();
  first.stream.destroy();
  let late = await dial(broker);
  while ((await late.ask({ operation: "ping" }))?.ok !== true) late = await dial(broker);
  await second.call("ping");
});

test("however many are one too many, each is told so and closed, and the few that were taken are served", async () => {
  const broker = await listen({ max_connections: 1 });
  const first = await dial(broker);
  await first.call("ping");
  for (let n = 0; n < 40; n += 1) {
    const surplus = await dial(broker);
    expect(await surplus.answer()).toMatchObject({ ok: false, code: "TOO_MANY_CONNECTIONS" });
    expect(await surplus.answer()).toBeNull();
  }
  await first.call("ping");
});

test("connections that break off in the middle of anything harm nobody", async () => {
  const broker = await listen();
  const session = await dial(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  for (let round = 0; round < 50; round += 1) {
    const other = await dial(broker);
    other.request({
      operation: "fetch",
      topic: "orders",
      partition: 0,
      offset: 0,
      min_bytes: 1,
      max_wait_ms: 60_000,
    });
    other.send('{"operation":"produce","topic":"orders","val');
    if (round % 2 === 0) await settle();
    other.stream.destroy();
  }
  expect(await session.call("describe_partition", { topic: "orders", partition: 0 })).toMatchObject({
    log_end_offset: 0,
  });
});

test("an address that is taken is refused, and the data folder is free again", async () => {
  const holder = await listen();
  const disk = new MemoryDisk();
  const port = holder.address?.port ?? 0;
  await expect(listen({ port }, disk)).rejects.toThrow(AddressUnavailable);
  await listen({}, disk);
});

test("closing ends every connection, and nobody can connect any more", async () => {
  const broker = await listen();
  const session = await dial(broker);
  await session.call("ping");
  await broker.close();
  expect(await session.answer()).toBeNull();
  await expect(dial(broker)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
