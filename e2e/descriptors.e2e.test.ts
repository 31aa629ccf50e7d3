/** More idle clients than the system gives a daemon descriptors. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { runBroker, startDaemon, temporaryFolder } from "./support/daemon.ts";
import { RawSession } from "./support/raw-session.ts";

const NO_LIMITS = "Windows bounds no process's files";
const DESCRIPTORS = 128;
const PARTITIONS = 4;

async function idleConnection(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

test("with too few descriptors a start is refused, and says so", async ({ skip }) => {
  skip(process.platform === "win32", NO_LIMITS);
  const refused = await runBroker(["--data", temporaryFolder(), "--port", "0"], {}, { descriptors: 24 });
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^error: the system lets this process open 24 files at once; .*\nhint: /);
});

test("however many clients stay idle, the logs have descriptors left: also an empty one takes records, and a stop is clean", async ({
  skip,
}) => {
  skip(process.platform === "win32", NO_LIMITS);
  const data = temporaryFolder();
  const flags: readonly string[] = [];
  const first = await startDaemon(data, flags, {}, { descriptors: DESCRIPTORS });
  const maker = await RawSession.open(first.port);
  await maker.ask({ operation: "create_topic", topic: "t", partitions: PARTITIONS });
  expect((await first.end("SIGTERM")).code).toBe(0);

  const daemon = await startDaemon(data, flags, {}, { descriptors: DESCRIPTORS });
  const session = await RawSession.open(daemon.port);
  await session.ask({ operation: "ping" });
  const idle: Socket[] = [];
  for (let n = 0; n < DESCRIPTORS + 20; n += 1) idle.push(await idleConnection(daemon.port));
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const request = { operation: "produce", topic: "t", partition, value_b64: "YQ==", acks: "all" };
    expect(await session.ask(request)).toMatchObject({ ok: true, offset: 0 });
  }
  const clean = await daemon.end("SIGTERM");
  for (const socket of idle) socket.destroy();
  expect(clean.code).toBe(0);
}, 30_000);
