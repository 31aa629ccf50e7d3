/** Over real sockets: what a client leaves behind when it is closed. Port 0, since no test may want a port of its own. */
import { createServer, type Server, type Socket } from "node:net";
import { LineFramer, successLine } from "@minikafka/protocol";
import { expect, test } from "vitest";
import { type Cancel, type ClientClock, connect, systemClock } from "../src/index.ts";
import { quiet } from "./support/scripted-peer.ts";

/** A server that answers every ping; other requests it keeps waiting for ever. */
async function pingServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    const framer = new LineFramer(1 << 20);
    socket.on("data", (chunk: Buffer) => {
      framer.push(chunk);
      for (let line = framer.next(); line !== null; line = framer.next()) {
        const { id, operation } = JSON.parse(line.toString());
        if (operation === "ping") socket.write(successLine(id, {}));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, sockets, port: portOf(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening on a port");
  return address.port;
}

async function stop({ server, sockets }: { server: Server; sockets: Set<Socket> }): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
  await quiet();
}

const sockets = () =>
  process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap" || name === "TCPConnectWrap")
    .length;

/** The system's clock, counting the waits that are under way: the test runner has timers of its own. */
class CountingClock implements ClientClock {
  readonly mode = "auto";
  waiting = 0;
  readonly nowMs = systemClock.nowMs;
  readonly elapsedMs = systemClock.elapsedMs;

  after(delayMs: number, action: () => void): Cancel {
    this.waiting += 1;
    let isOver = false;
    const end = () => {
      if (!isOver) this.waiting -= 1;
      isOver = true;
    };
    const cancel = systemClock.after(delayMs, () => {
      end();
      action();
    });
    return () => {
      end();
      cancel();
    };
  }
}

test("a closed client leaves no socket and no timer, also with requests, polls and lingering records under way", async () => {
  const clock = new CountingClock();
  const own = await pingServer();
  const client = await connect({ broker: `127.0.0.1:${own.port}` }, { clock });
  await client.call("ping", {});
  const consumer = client.consumer();
  consumer.assign([{ topic: "t", partition: 0, offset: 0 }]);
  const outcomes = Promise.allSettled([
    client.call("clock", {}),
    consumer.poll({ timeoutMs: 60_000 }),
    client.producer({ lingerMs: 60_000 }).send({ topic: "t", value: "v" }),
  ]);
  await client.call("ping", {});
  expect(clock.waiting).toBeGreaterThan(0);
  await client.close({ timeoutMs: 1 }).catch(() => {});
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  await stop(own);
  expect([clock.waiting, sockets()]).toEqual([0, 0]);
});

test("a client that is closed while it tries to reconnect leaves nothing either", async () => {
  const clock = new CountingClock();
  const own = await pingServer();
  const client = await connect({ port: own.port }, { clock });
  await client.call("ping", {});
  await stop(own);
  const call = client.call("ping", {}).catch((error) => error);
  await client.close();
  expect(["CLOSED", "CONNECTION"]).toContain((await call).code);
  expect([clock.waiting, sockets()]).toEqual([0, 0]);
});

test("nobody at the address is CONNECTION with the system's reason, and leaves nothing", async () => {
  const own = await pingServer();
  await stop(own);
  const clock = new CountingClock();
  await expect(connect({ port: own.port }, { clock })).rejects.toMatchObject({
    code: "CONNECTION",
    retriable: true,
    message: expect.stringContaining("ECONNREFUSED"),
  });
  await quiet();
  expect([clock.waiting, sockets()]).toEqual([0, 0]);
});

test("a client comes back to a broker that was away, and what was called meanwhile goes out", async () => {
  const own = await pingServer();
  const client = await connect({ port: own.port });
  await client.call("ping", {});
  await stop(own);
  const meanwhile = client.call("ping", {}).catch((error) => error);
  const again = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => socket.write(successLine(JSON.parse(chunk.toString()).id, {})));
  });
  await new Promise<void>((resolve) => again.listen(own.port, "127.0.0.1", resolve));
  // Either it was seen to be gone in time, and the call waited, or the call was lost with the old connection.
  const outcome = await meanwhile;
  if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "CONNECTION" });
  await client.call("ping", {});
  await client.close();
  await new Promise((resolve) => again.close(resolve));
});
