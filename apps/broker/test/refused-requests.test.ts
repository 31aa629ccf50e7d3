/** What a connection sends and nobody can read: who watches is told what was wrong, so is the log, and so is a trace. */
import { once } from "node:events";
import { connect } from "node:net";
import { MemoryDisk } from "@minikafka/core/testing";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { type Broker, startBroker } from "../src/daemon.ts";
import { Session, settle } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

type Entry = { readonly [name: string]: unknown };

function sized(bytes: number, behind = Buffer.alloc(0)): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(bytes);
  return Buffer.concat([size, behind]);
}

/** Sends `bytes`, and returns all that comes back until the end. */
async function told(port: number, bytes: Buffer): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  onTestFinished(() => {
    socket.destroy();
  });
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.write(bytes);
  await once(socket, "end");
  socket.destroy();
  return text;
}

function kindOf(answer: Entry | null): unknown {
  return (answer?.event as Entry | undefined)?.kind;
}

const HANDSHAKE = Buffer.from("16030100a5010000a1", "hex");

/** Frames that end their connection, each with what is told of it. */
async function badFrames(broker: Broker): Promise<[bytes: Buffer, reason: string, isCounted: boolean][]> {
  const client = await KafkaClient.open(broker);
  const metadata = () => client.frame("Metadata", 4, { topics: null });
  const at = (place: number, value: number) => {
    const frame = metadata();
    frame.writeInt16BE(value, place);
    return frame;
  };
  const torn = metadata();
  torn.fill(0x7f, torn.length - 5);
  client.socket.destroy();
  return [
    [sized(0), "a frame of 0 bytes; from 1 to 1024 are taken", false],
    [sized(1025), "a frame of 1025 bytes; from 1 to 1024 are taken", false],
    [
      HANDSHAKE,
      "it begins as TLS does, which is not offered: clients connect without it (ssl: false)",
      false,
    ],
    [Buffer.from("GET / HTTP/1.1\r\n"), `it begins with "GET ", as no request of Kafka's does`, false],
    [
      Buffer.from('{"operation":"ping"}\n'),
      "it begins as a line of JSON does, which is for the other port (--port)",
      false,
    ],
    [sized(3, Buffer.from("abc")), "a request without a whole header: expected", true],
    [at(4, 999), "Kafka's API 999 is not offered, nor named in ApiVersions", true],
    [at(6, 99), "Metadata v99 is not offered; v0 to v12 are", true],
    [torn, "Metadata v4 cannot be read: topics: expected", true],
  ];
}

test.each(["auto", "manual"])(
  "clock %s: who watches is told of each what was wrong, whatever else is watched, but not who watches chosen topics",
  async (clock) => {
    const broker = await openKafkaBroker({ clock, kafka_max_frame_bytes: 1024, max_frame_bytes: 90_000 });
    const [all, requests, none] = [Session.open(broker), Session.open(broker), Session.open(broker)];
    await all.call("watch", { kinds: ["request_refused"] });
    await none.call("watch", { topics: ["orders"], requests: true });
    await requests.call("watch", { requests: true });
    const bad = await badFrames(broker);
    const [port = 0] = broker.kafkaAddresses.map((each) => each.port);
    for (const [bytes, reason, isCounted] of bad) {
      await told(port, bytes);
      const event = (await all.answer())?.event;
      expect(event, reason).toMatchObject({
        kind: "request_refused",
        broker_id: 1,
        connection: expect.any(Number),
        request: isCounted ? expect.any(Number) : null,
        reason: expect.stringContaining(reason),
      });
      const seen: unknown[] = [];
      while (!seen.includes("request_refused")) seen.push(kindOf(await requests.answer()));
      expect(seen).toEqual(isCounted ? ["request_taken", "request_refused"] : ["request_refused"]);
      if (isCounted) expect((await requests.answer())?.event).toMatchObject({ kind: "request_done" });
    }
    const json = broker.address?.port ?? 0;
    await told(json, Buffer.from(`${"x".repeat(90_001)}\n`));
    const long = ((await all.answer())?.event ?? {}) as Entry;
    expect(long.reason).toBe("a line of 90001 bytes or more; at most 90000 are taken");
    expect(long).toMatchObject({ kind: "request_refused", request: null });
    expect(long).not.toHaveProperty("broker_id");
    await settle();
    expect(none.answers).toEqual([]);
  },
);

test("the log says once for each connection what was wrong, without being asked for more than what is usual", async () => {
  const lines: Entry[] = [];
  const log = pino(
    { level: "info", base: null },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const broker = await startBroker({
    settings: { data: "/data", port: 0, kafka_port: 0 },
    disk: new MemoryDisk(),
    log,
  });
  onTestFinished(() => broker.close());
  const client = await KafkaClient.open(broker);
  const strange = client.frame("Metadata", 4, { topics: null });
  strange.writeInt16BE(99, 6);
  client.send(Buffer.concat([strange, strange, sized(0)]));
  await client.closed();
  const [port = 0] = broker.kafkaAddresses.map((each) => each.port);
  await told(port, sized(0));
  const message = "what a connection sent cannot be read: it is closed";
  expect(lines.filter(({ msg }) => msg === message)).toMatchObject([
    {
      peer: expect.stringContaining("127.0.0.1:"),
      brokerId: 1,
      reason: expect.stringContaining("Metadata v99"),
    },
    { peer: expect.stringContaining("127.0.0.1:"), brokerId: 1, reason: expect.stringContaining("0 bytes") },
  ]);
});

test("who sends lines of JSON to a port for Kafka's clients is told where they are taken", async () => {
  const broker = await openKafkaBroker({ brokers: 2 });
  const ping = Buffer.from('{"operation":"ping"}\n');
  const { port } = broker.kafkaAddresses[1] ?? { port: 0 };
  expect(JSON.parse(await told(port, ping))).toMatchObject({
    ok: false,
    code: "INVALID_REQUEST",
    message: `this port of broker 2 is for Kafka's clients; lines of JSON are taken at 127.0.0.1:${broker.address?.port}`,
    details: { json_address: `127.0.0.1:${broker.address?.port}` },
  });
});

test.each(["auto", "manual"])(
  "clock %s: a client of Kafka's at the port for lines of JSON is not left waiting for an answer",
  async (clock) => {
    const broker = await openKafkaBroker({ clock });
    const watching = Session.open(broker);
    await watching.call("watch");
    const client = await KafkaClient.open(broker);
    const port = broker.address?.port ?? 0;
    for (const frame of [
      client.frame("ApiVersions", 3, { clientSoftwareName: "a", clientSoftwareVersion: "1" }),
      client.frame("Metadata", 1, { topics: null }),
    ]) {
      expect(await told(port, frame)).toBe("");
      expect((await watching.answer())?.event).toMatchObject({
        kind: "request_refused",
        request: null,
        reason:
          "it begins as a request of Kafka's does, whose clients have ports of their own (--kafka-port)",
      });
    }
  },
);

test("a trace has what could not be read, and is carried out once more with it", async () => {
  const broker = await openKafkaBroker({ clock: "manual", start_time: 0, kafka_max_frame_bytes: 1024 });
  const json = Session.open(broker);
  const bad = await badFrames(broker);
  const [port = 0] = broker.kafkaAddresses.map((each) => each.port);
  for (const [bytes] of bad) await told(port, bytes);
  await json.call("ping");
  const before = (await json.call("read_history")).lines;
  const refused = before.map((line) => JSON.parse(line) as Entry).flatMap(({ refused }) => refused ?? []);
  expect(refused).toEqual(
    bad.map(([, reason, isCounted]) => ({
      connection: expect.any(Number),
      request: isCounted ? expect.any(Number) : null,
      broker_id: 1,
      reason: expect.stringContaining(reason),
    })),
  );
  for (const keep of ["memory", "folder"] as const) {
    await json.call("save_snapshot", { name: keep, keep });
    await json.call("load_snapshot", { name: keep });
    expect((await json.call("read_history")).lines.slice(0, before.length)).toEqual(before);
  }
});
