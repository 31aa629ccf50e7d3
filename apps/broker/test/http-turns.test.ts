/** When answers over HTTP are made: how many at once, and who has a turn in between. */
import { once } from "node:events";
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { AnswerTurns, type Asked, WAITING_MAX } from "../src/http/answer-turns.ts";
import { openBroker } from "./support/broker.ts";
import { get, portOf } from "./support/http.ts";

/** More than the system holds for a reader. */
const LARGE = "x".repeat(16 * 1024 * 1024);
const MANY = 5;

function asking(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

/** A server whose answers have their turns, and a client that sends many requests at once and reads nothing yet. */
async function pipelined() {
  const turns = new AnswerTurns({
    later: setImmediate,
    after: (_ms, turn) => void setImmediate(turn),
    nowMs: () => 0,
  });
  const made: ServerResponse[] = [];
  /** How many answers were under way when one was made. */
  const underWay: number[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    turns.ask({
      socket: request.socket,
      response,
      isLong: true,
      answer: () => {
        underWay.push(made.filter(({ writableFinished }) => !writableFinished).length);
        made.push(response);
        response.end(request.url === `/${MANY - 1}` ? "last" : LARGE);
      },
      refuse: () => expect.fail("nobody is refused here"),
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const [served] = (await once(server, "connection")) as [Socket];
  client.write(Array.from({ length: MANY }, (_none, index) => asking(`/${index}`)).join(""));
  await once(server, "request");
  return { made, underWay, client, served };
}

/** So many turns of the event loop. */
async function turnsGoBy(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("a connection has one answer under way, however many requests it sends at once, and all come in their order", async () => {
  const { made, underWay, client } = await pipelined();
  await turnsGoBy(MANY);
  expect(made).toHaveLength(1);
  let end = "";
  for await (const chunk of client) {
    end = (end + String(chunk)).slice(-4);
    if (end === "last") break;
  }
  expect(made.map(({ req }) => req.url)).toEqual(Array.from({ length: MANY }, (_none, index) => `/${index}`));
  expect(underWay).toEqual(made.map(() => 0));
});

test("nothing is made for a connection that is gone, whatever it has asked before", async () => {
  const { made, client, served } = await pipelined();
  const closed = new Promise((resolve) => served.once("close", resolve));
  client.destroy();
  await closed;
  await turnsGoBy(MANY);
  expect(made).toHaveLength(1);
});

/** What a long answer takes here. */
const LONG_MS = 90;

/** Whose turns come when they are called for. */
function stepped() {
  const later: (() => void)[] = [];
  const pausesMs: number[] = [];
  let nowMs = 0;
  const turns = new AnswerTurns({
    later: (turn) => void later.push(turn),
    after: (ms, turn) => {
      pausesMs.push(ms);
      later.push(turn);
    },
    nowMs: () => nowMs,
  });
  const made: string[] = [];
  const ask = (name: string, { isLong = true, socket = new Socket() } = {}): Asked => {
    const response = new ServerResponse(new IncomingMessage(socket));
    const answer = () => {
      made.push(name);
      if (isLong) nowMs += LONG_MS;
    };
    const asked = { socket, response, isLong, answer, refuse: () => void made.push(`${name} refused`) };
    turns.ask(asked);
    return asked;
  };
  return { made, pausesMs, ask, turn: () => later.splice(0).forEach((each) => void each()) };
}

test("between two long answers, on whatever connections, others have as much time as the first took; short ones do not wait", () => {
  const { made, pausesMs, ask, turn } = stepped();
  for (const name of ["a", "b", "c"]) ask(name);
  ask("probe", { isLong: false });
  expect(made.splice(0)).toEqual(["a", "probe"]);
  turn();
  ask("later probe", { isLong: false });
  expect(made.splice(0)).toEqual(["b", "later probe"]);
  turn();
  expect(made.splice(0)).toEqual(["c"]);
  turn();
  // Nobody waits any more, so that the next has its answer at once.
  ask("d");
  expect(made).toEqual(["d"]);
  expect(pausesMs).toEqual([LONG_MS, LONG_MS, LONG_MS, LONG_MS]);
});

test("those who are gone while they wait take no turn from the others", () => {
  const { made, ask, turn } = stepped();
  ask("a");
  for (let count = 0; count < MANY; count += 1) ask("gone").socket.destroy();
  ask("b");
  turn();
  expect(made).toEqual(["a", "b"]);
});

test("also what is short has a turn each, where requests come one behind another", () => {
  const { made, ask, turn } = stepped();
  const first = ask("first", { isLong: false });
  ask("second", { isLong: false, socket: first.socket });
  first.response.emit("close");
  expect(made).toEqual(["first"]);
  turn();
  expect(made).toEqual(["first", "second"]);
});

test("so many requests wait on a connection; one more is told so in its turn, nothing is answered behind it, and others are", async () => {
  const broker = await openBroker({ http_port: 0 });
  const socket = connect(portOf(broker), "127.0.0.1");
  // In one packet: read before the first is taken.
  socket.write(asking("/healthz").repeat(WAITING_MAX + 20));
  let text = "";
  for await (const chunk of socket.setEncoding("utf8")) text += chunk;
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status));
  expect(statuses).toEqual([...Array.from({ length: WAITING_MAX + 1 }, () => 200), 429]);
  expect(text).toMatch(/^connection: close\r$/im);
  expect(text).toContain('"code":"TOO_MANY_REQUESTS"');
  expect((await get(broker, "/healthz")).status).toBe(200);
});
