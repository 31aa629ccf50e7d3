/** Connections of kafkajs that were idle for too long, and half a frame beside them, against the running daemon. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Daemon } from "./support/daemon.ts";
import { kafkaWorld, opened } from "./support/kafka-world.ts";

/** Resolves when the daemon has closed a connection that sent half a frame; two in a row take as long as any idle one is borne. */
async function halfAFrame({ kafka }: Daemon): Promise<void> {
  const [address] = kafka;
  const socket = connect({ port: address?.port ?? 0, host: "127.0.0.1" });
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, "connect");
  socket.resume().write(Buffer.from([0, 0, 0, 20, 0, 3, 0, 0]));
  await once(socket, "close");
}

test("half a frame is closed after connections-max-idle-ms, and kafkajs that was idle for as long goes on where it was", async () => {
  const { daemon, kafka } = await kafkaWorld(["--connections-max-idle-ms", "300"]);
  const producer = await opened(kafka.producer({ idempotent: true, maxInFlightRequests: 1 }));
  for (const baseOffset of ["0", "1", "2"]) {
    expect(await producer.send({ topic: "t", acks: -1, messages: [{ value: "v" }] })).toMatchObject([
      { errorCode: 0, baseOffset },
    ]);
    await halfAFrame(daemon);
    await halfAFrame(daemon);
  }
});
