/** Who may be connected over HTTP, and who makes room for whom. */
import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { connect, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Broker } from "../src/daemon.ts";
import type { HttpSite } from "../src/http/endpoint.ts";
import { STREAMS_MAX } from "../src/http/event-streams.ts";
import { CONNECTIONS_KEPT, CONNECTIONS_MAX, HttpConnections } from "../src/http/http-connections.ts";
import { Router } from "../src/http/router.ts";
import { openBroker, Session } from "./support/broker.ts";
import { get, portOf, readEvents } from "./support/http.ts";

const HTTP = { http_port: 0 };

/** Whoever connects, asks this, and reads nothing but what `read` waits for. */
async function guest(broker: Pick<Broker, "httpAddress">, request = ""): Promise<Socket> {
  const socket = connect(portOf(broker), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(request);
  return socket;
}

function asking(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

test("whoever is refused a stream holds no connection, so that the next is told so too, and probes are answered", async () => {
  const broker = await openBroker(HTTP);
  for (let count = 0; count < STREAMS_MAX; count += 1) await readEvents(broker);
  for (let count = 0; count < CONNECTIONS_MAX; count += 1) {
    const socket = await guest(broker, asking("/events"));
    let text = "";
    for await (const chunk of socket.setEncoding("utf8")) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 503 .*^connection: close\r$.*TOO_MANY_STREAMS/ims);
  }
  expect((await get(broker, "/healthz")).status).toBe(200);
});

test("those who connect and ask nothing, or nothing more, make room: the longest idle first, and no reader of events", async () => {
  const broker = await openBroker(HTTP);
  const reader = await readEvents(broker);
  const [asked, silent] = [await guest(broker), await guest(broker)];
  // Whoever is answered has come in later than both.
  await get(broker, "/healthz");
  asked.write(asking("/healthz"));
  // Idle since its answer, which is later than the other.
  await once(asked, "data");
  const first = Promise.race([
    once(silent, "close").then(() => "silent"),
    once(asked, "close").then(() => "asked"),
  ]);
  silent.resume();
  asked.resume();
  for (let count = 0; count < 2 * CONNECTIONS_MAX; count += 1) (await guest(broker)).resume();
  expect(await first).toBe("silent");
  expect((await get(broker, "/healthz")).status).toBe(200);
  await Session.open(broker).call("create_topic", { topic: "orders", partitions: 1 });
  expect((await reader.event()).data).toMatchObject({ number: expect.anything() });
});

/** What a router answers to a request for this path. */
function statusOf(path: string, isCrowded: boolean): number {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "GET", url: path });
  const response = new ServerResponse(request);
  const site = { unready: () => [] } as unknown as HttpSite;
  new Router({ site, names: { host: "127.0.0.1" }, onFault: () => "" }).answer(request, response, isCrowded);
  return response.statusCode;
}

test("whoever leaves answers unread leaves a few connections for probes, and for these alone", () => {
  const connections = new HttpConnections();
  const leave: (() => void)[] = [];
  const ask = (socket: Socket) => {
    const response = new ServerResponse(new IncomingMessage(socket));
    connections.ask(socket, response);
    leave.push(() => void response.emit("close"));
  };
  for (let count = 0; count < CONNECTIONS_MAX - CONNECTIONS_KEPT; count += 1) {
    const socket = new Socket();
    connections.admit(socket);
    // One behind another: it is the connection that counts, until the last answer has left.
    ask(socket);
    ask(socket);
  }
  expect(connections.isCrowded).toBe(false);
  const probe = new Socket();
  connections.admit(probe);
  ask(probe);
  expect([connections.isCrowded, probe.destroyed]).toEqual([true, false]);
  leave[0]?.();
  expect(connections.isCrowded).toBe(true);
  leave[1]?.();
  expect(connections.isCrowded).toBe(false);
  expect(["/healthz", "/readyz"].map((path) => statusOf(path, true))).toEqual([200, 200]);
  for (const path of ["/metrics", "/snapshot", "/events"]) expect(statusOf(path, true), path).toBe(503);
});

test("where everybody waits for an answer, one more is let go, and whoever goes makes room", () => {
  const connections = new HttpConnections();
  const connected = Array.from({ length: CONNECTIONS_MAX }, () => {
    const socket = new Socket();
    connections.admit(socket);
    connections.ask(socket, new ServerResponse(new IncomingMessage(socket)));
    return socket;
  });
  const [late, later] = [new Socket(), new Socket()];
  connections.admit(late);
  expect([late.destroyed, connected.some(({ destroyed }) => destroyed)]).toEqual([true, false]);
  connected[0]?.emit("close");
  connections.admit(later);
  expect(later.destroyed).toBe(false);
});
