import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RawLink } from "./raw-link.ts";

/** A peer that does with its connection what the test says. */
async function linkTo(serve: (socket: Socket) => void): Promise<RawLink> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    serve(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const link = await RawLink.open(
    { host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    10_000,
  );
  onTestFinished(() => {
    link.close();
    server.close();
  });
  return link;
}

async function answersOf(link: RawLink, timeoutMs: number | null = null): Promise<string[]> {
  const answers: string[] = [];
  for await (const line of link.answers(timeoutMs)) answers.push(line.toString());
  return answers;
}

const echo = (socket: Socket) => void socket.pipe(socket);

test("there is an answer for each request, and then the session ends", async () => {
  const link = await linkTo(echo);
  for (const line of ["{}", "[]", "not json"]) await link.send(Buffer.from(line));
  link.end();
  expect(await answersOf(link)).toEqual(["{}", "[]", "not json"]);
});

test("a blank line and a one-way produce are not waited for", async () => {
  const link = await linkTo((socket) => void socket.resume());
  await link.send(Buffer.from("  "));
  await link.send(Buffer.from('{"operation":"produce","acks":"0","one_way":true}'));
  expect(link.unanswered).toBe(0);
  link.end();
  expect(await answersOf(link)).toEqual([]);
});

test("events of a watch answer no request", async () => {
  const event = '{"event":{"number":1}}';
  const link = await linkTo(
    (socket) => void socket.once("data", () => socket.write(`${event}\n{}\n${event}\n[]\n`)),
  );
  for (const line of ["{}", "[]"]) await link.send(Buffer.from(line));
  link.end();
  expect(await answersOf(link)).toEqual([event, "{}", event, "[]"]);
});

test("a peer that closes leaves the rest unanswered", async () => {
  const link = await linkTo((socket) => void socket.once("data", () => socket.end("{}\n")));
  await link.send(Buffer.from("{}"));
  await link.send(Buffer.from("{}"));
  link.end();
  expect(await answersOf(link)).toEqual(["{}"]);
  expect(link.unanswered).toBe(1);
});

test("silence is borne while nothing is due, and for the given time when something is", async () => {
  const link = await linkTo((socket) => void socket.resume());
  await link.send(Buffer.from("{}"));
  await expect(answersOf(link, 20)).rejects.toMatchObject({ code: "TIMEOUT" });
});

test("nobody at the address is CONNECTION, and says where", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  await expect(RawLink.open({ host: "127.0.0.1", port }, 10_000)).rejects.toMatchObject({
    code: "CONNECTION",
    message: `127.0.0.1:${port}: ECONNREFUSED`,
  });
});
