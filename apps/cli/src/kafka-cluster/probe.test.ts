import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Listener, listenerBy, probe } from "./probe.ts";
import { requireKafka } from "./require-kafka.ts";

async function listening(serve: (socket: Socket) => void): Promise<{ host: string; port: number }> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

test.each<[Listener, string]>([
  ["http", "HTTP/1.1 400 Bad Request\r\n\r\n"],
  ["json", '{"ok":false}\n'],
  ["tls", "\u0015\u0003\u0003\u0000\u0002\u0002\u0046\u0000"],
  ["other", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["other", "\u0000\u0000\u0000\u0008\u0000\u0000\u0000\u0000"],
])("%s is known by its answer %j", async (found, answer) => {
  const address = await listening((socket) => socket.end(answer, "latin1"));
  expect(await probe(address, 5_000)).toBe(found);
});

test("Kafka is known by the correlation id that it gives back", async () => {
  const address = await listening((socket) =>
    socket.once("data", (chunk: Buffer) => {
      expect(chunk.readInt16BE(4)).toBe(18);
      const answer = Buffer.alloc(14);
      answer.writeInt32BE(10, 0);
      chunk.copy(answer, 4, 8, 12);
      socket.write(answer);
    }),
  );
  expect(await probe(address, 5_000)).toBe("kafka");
  await requireKafka({ brokers: [address] }, { security: {}, timeoutMs: 5_000 });
});

test("who says nothing, and who hangs up, is not waited for longer than wanted", async () => {
  expect(await probe(await listening(() => undefined), 50)).toBe("silent");
  expect(await probe(await listening((socket) => socket.destroy()), 5_000)).toBe("closes");
  expect(listenerBy(Buffer.from("abc"))).toBe("other");
});

test("one broker of those named is enough, and where none is Kafka the first one is told of", async () => {
  const http = await listening((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  const nobody = await listening(() => undefined);
  const options = { security: {}, timeoutMs: 50 };
  await expect(requireKafka({ brokers: [http, nobody] }, options)).rejects.toMatchObject({
    code: "CONNECTION",
    message: `127.0.0.1:${http.port} is an HTTP server`,
    hint: expect.stringContaining("9092"),
  });
});
