import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { settle } from "../../test/support/broker.ts";
import { inProcessLink } from "../in-process-link.ts";
import { MeteredWriter } from "./metered-writer.ts";

const MIB = 1024 * 1024;

/** What was told of a writer to `stream`. */
function metered(stream: Duplex) {
  const told = { progress: 0, drained: 0 };
  const writer = new MeteredWriter(stream, {
    onProgress: () => {
      told.progress += 1;
    },
    onDrained: () => {
      told.drained += 1;
    },
  });
  return { writer, told };
}

async function sockets(): Promise<[here: Socket, there: Socket]> {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const there = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [here] = (await once(server, "connection")) as [Socket];
  server.close();
  onTestFinished(() => {
    here.destroy();
    there.destroy();
  });
  return [here, there];
}

test("whatever is written comes whole and in order, and then the end; nothing is left unsent", async () => {
  const sizes = fc.array(fc.oneof(fc.nat(300), fc.nat(400_000)), { maxLength: 12 });
  const turns = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, turns, async (drawn, pauses) => {
      const [here, there] = inProcessLink();
      const { writer } = metered(here);
      const received: Buffer[] = [];
      there.on("data", (chunk: Buffer) => received.push(Buffer.from(chunk)));
      const pieces = drawn.map((size, index) =>
        index % 2 === 0 ? Buffer.alloc(size, index) : "x".repeat(size),
      );
      for (const [index, piece] of pieces.entries()) {
        writer.write(piece);
        if (pauses[index] === true) await settle();
      }
      writer.end();
      await once(there, "end");
      expect(Buffer.concat(received).equals(Buffer.concat(pieces.map((piece) => Buffer.from(piece))))).toBe(
        true,
      );
      expect(writer).toMatchObject({ unsentBytes: 0 });
    }),
    { numRuns: 50 },
  );
});

test("of one long write to a slow socket it is seen again and again that something leaves, and once that all has", async () => {
  const [here, there] = await sockets();
  const { writer, told } = metered(here);
  there.pause();
  const bytes = Buffer.alloc(64 * MIB, 7);
  expect(writer.write(bytes)).toBe(false);
  let received = 0;
  const seen: number[] = [];
  there.on("data", (chunk) => {
    received += chunk.length;
    // So slowly that others have their turn between.
    there.pause();
    setImmediate(() => there.resume());
    if (seen.at(-1) !== told.progress) seen.push(told.progress);
  });
  there.resume();
  writer.end();
  await once(there, "end");
  expect(received).toBe(bytes.length);
  expect(seen.length).toBeGreaterThan(20);
  expect(told.drained).toBe(1);
  expect(writer.unsentBytes).toBe(0);
});

test("what waits when the stream is closed is let go", async () => {
  const [here, there] = inProcessLink();
  const { writer } = metered(here);
  writer.write(Buffer.alloc(MIB));
  writer.write("behind it");
  there.on("error", () => undefined);
  here.on("error", () => undefined);
  expect(writer.unsentBytes).toBe(MIB + 9);
  here.destroy();
  await settle();
  expect(writer.unsentBytes).toBeLessThan(MIB / 2);
  expect(writer.write("too late")).toBe(true);
});
