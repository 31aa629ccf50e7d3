import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { clientLibrary } from "./client-library.ts";
import { KafkaLink } from "./kafka-link.ts";
import { kafkaFailure, problemOf } from "./kafka-problem.ts";

/** Answers the first question, as Kafka does. */
function likeKafka(socket: Socket): void {
  socket.on("error", () => undefined);
  socket.once("data", (chunk: Buffer) => {
    const answer = Buffer.alloc(14);
    answer.writeInt32BE(10, 0);
    chunk.copy(answer, 4, 8, 12);
    socket.end(answer);
  });
}

async function listening(serve: (socket: Socket, server: Server) => void) {
  const server = createServer((socket) => serve(socket, server));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

function opened(broker: { host: string; port: number }): Promise<KafkaLink> {
  const { signal } = new AbortController();
  return KafkaLink.open({ address: { brokers: [broker] }, security: {}, timeoutMs: 100, signal });
}

test("who answers and goes down before the next question is told as down, not as one that wants a login", async () => {
  const broker = await listening((socket, server) => {
    likeKafka(socket);
    server.close();
  });
  const failure = await opened(broker).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "CONNECTION", message: expect.stringContaining("ECONNREFUSED") });
  expect(String(failure)).not.toContain("login");
});

test("who answers, and then takes connections and hangs up, wants a login", async () => {
  let connections = 0;
  const broker = await listening((socket) => {
    connections += 1;
    if (connections === 1) likeKafka(socket);
    else socket.destroy();
  });
  await expect(opened(broker)).rejects.toMatchObject({
    code: "CONNECTION",
    message: expect.stringContaining("wants a login first"),
  });
});

test("a pool that another partition's failure has closed passes by itself, and else is told as a connection", async () => {
  const { ConnectionPool } = await clientLibrary();
  const pool = new ConnectionPool("test");
  await pool.close();
  const error = await pool.get({ host: "127.0.0.1", port: 9 }).catch((problem: unknown) => problem);
  expect(problemOf(error)).toMatchObject({ kind: "network", retriable: true, error: null });
  expect(kafkaFailure(error, "reading it", "kafka://here:9092")).toMatchObject({
    code: "CONNECTION",
    message: expect.stringMatching(/^reading it at kafka:\/\/here:9092 failed: /),
  });
});
