import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Daemon, startDaemon, temporaryFolder } from "./support/daemon.ts";
import { RawSession } from "./support/raw-session.ts";

const MIB = 1024 * 1024;

/** Resident memory of a process, where the system tells. */
function residentBytes(pid: number): number | null {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
  } catch {
    return null;
  }
}

/** Whether the broker serves somebody else as if nothing had happened. */
async function expectService(daemon: Daemon): Promise<void> {
  const session = await RawSession.open(daemon.port);
  expect(await session.ask({ operation: "ping" })).toEqual({ ok: true });
  session.socket.destroy();
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
    socket.on("error", () => undefined);
    onTestFinished(() => {
      socket.destroy();
    });
  });
}

test("a gigabyte without a newline is answered with FRAME_TOO_LARGE and never held", async () => {
  const daemon = await startDaemon(temporaryFolder());
  const session = await RawSession.open(daemon.port);
  const before = residentBytes(daemon.pid);
  const piece = Buffer.alloc(MIB, 0x78);
  let closed = false;
  session.socket.on("close", () => {
    closed = true;
  });
  let peak = before ?? 0;
  for (let sent = 0; sent < 1024 && !closed; sent += 1) {
    if (!session.socket.write(piece)) {
      await new Promise<void>((resolve) => {
        session.socket.once("drain", resolve);
        session.socket.once("close", () => resolve());
      });
    }
    peak = Math.max(peak, residentBytes(daemon.pid) ?? 0);
  }
  expect(await session.answer()).toMatchObject({ ok: false, code: "FRAME_TOO_LARGE" });
  expect(await session.answer()).toBeNull();
  if (before !== null) expect((peak - before) / MIB).toBeLessThan(100);
  await expectService(daemon);
});

test("half a request, then silence, a reset or an end: nothing is carried out, and nobody notices", async () => {
  const daemon = await startDaemon(temporaryFolder());
  const session = await RawSession.open(daemon.port);
  await session.ask({ operation: "create_topic", topic: "orders", partitions: 1 });
  const half = JSON.stringify({ operation: "produce", topic: "orders", value_b64: "" });
  for (const finish of [
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.resetAndDestroy(),
    () => undefined,
  ]) {
    const socket = await open(daemon.port);
    await new Promise((resolve) => socket.write(half, resolve));
    finish(socket);
  }
  await expectService(daemon);
  expect(await session.ask({ operation: "describe_partition", topic: "orders", partition: 0 })).toMatchObject(
    { log_end_offset: 0 },
  );
});

test("a thousand connections that never read an answer: bounded memory, and everybody else is served", async () => {
  const daemon = await startDaemon(temporaryFolder());
  const session = await RawSession.open(daemon.port);
  await session.ask({ operation: "create_topic", topic: "orders", partitions: 1 });
  const value_b64 = Buffer.alloc(100_000).toString("base64");
  expect(await session.ask({ operation: "produce", topic: "orders", value_b64 })).toMatchObject({ ok: true });
  const fetch =
    `${JSON.stringify({ operation: "fetch", topic: "orders", partition: 0, offset: 0 })}\n`.repeat(8);
  for (let opened = 0; opened < 1_000; opened += 50) {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => open(daemon.port)));
    for (const socket of sockets) socket.pause().write(fetch);
    if (opened % 250 === 0) await expectService(daemon);
  }
  await expectService(daemon);
  const resident = residentBytes(daemon.pid);
  // They are owed 1 GB; what the sockets do not take is not even begun.
  if (resident !== null) expect(resident / MIB).toBeLessThan(600);
  expect(await session.ask({ operation: "ping" })).toEqual({ ok: true });
});

test("connections that come and go by the thousand leave nothing behind", async () => {
  const daemon = await startDaemon(temporaryFolder(), ["--max-connections", "100"]);
  for (let round = 0; round < 40; round += 1) {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => open(daemon.port)));
    for (const [index, socket] of sockets.entries()) {
      const gone = new Promise((resolve) => socket.once("close", resolve));
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.end('{"operation":"ping"}\n');
      socket.resume();
      await gone;
    }
  }
  await expectService(daemon);
});
