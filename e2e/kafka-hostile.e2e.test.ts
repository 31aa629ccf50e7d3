/** Frames that claim gigabytes, or unpack to them: the daemon's memory stays bounded, and a kafkajs producer is served meanwhile. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { BOMBS, manyNames, produce, wholeRequests } from "./support/hostile-frames.ts";
import { type KafkaWorld, kafkaWorld, Member, opened } from "./support/kafka-world.ts";

const MIB = 2 ** 20;
const TOPIC = "orders";
/** Of resident memory: what a daemon may come to beyond what it has when the first record is written. */
const GROWTH_MIB_MAX = 200;
const MESSAGE_TOO_LARGE = 10;

/** The most that a process has ever had in memory, where the system tells; else the test looks at the service alone. */
function peakMib(pid: number): number | null {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return null;
  }
}

/** Somebody who is no enemy, and who writes all the while. */
async function world() {
  const made = await kafkaWorld(["--log-level", "fatal"]);
  await made.client.admin().createTopic({ topic: TOPIC, partitions: 1 });
  const producer = await opened(made.kafka.producer());
  let sent = 0;
  const isServed = async () => {
    await producer.send({ topic: TOPIC, messages: [{ value: `${sent}` }] });
    sent += 1;
  };
  await isServed();
  const before = peakMib(made.daemon.pid);
  if (before === null)
    console.log("this system does not tell a process's memory: the service alone is looked at");
  const expectBounded = async () => {
    const peak = peakMib(made.daemon.pid);
    if (peak !== null && before !== null) expect(peak - before).toBeLessThan(GROWTH_MIB_MAX);
    const member = await Member.join(made.kafka, { topic: TOPIC });
    await member.read(sent);
    expect(member.values).toEqual(Array.from({ length: sent }, (_, number) => `${number}`));
  };
  return { ...made, isServed, expectBounded };
}

async function open({ daemon }: KafkaWorld): Promise<Socket> {
  const socket = connect(daemon.kafka[0]?.port ?? 0, "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, "connect");
  return socket;
}

/** The bytes of the answer, or `null` where the connection has closed. */
async function answerTo(socket: Socket, frame: Buffer): Promise<Buffer | null> {
  const answered = once(socket, "data").then(([bytes]) => bytes as Buffer);
  const closed = once(socket, "close").then(() => null);
  socket.write(frame);
  return Promise.race([answered, closed]);
}

test("a frame that is only announced takes no memory, and one that is too long ends its connection", async () => {
  const made = await world();
  for (const announced of [-1, 0, 0x7fffffff, 64 * MIB + 1]) {
    const size = Buffer.alloc(4);
    size.writeInt32BE(announced);
    expect(await answerTo(await open(made), size)).toBeNull();
  }
  const half = Buffer.alloc(1_000);
  half.writeInt32BE(64 * MIB);
  for (let round = 0; round < 10; round += 1) {
    // Together they announce 12.5 GiB, and stay.
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(made)));
    for (const socket of sockets) socket.write(half);
    await made.isServed();
  }
  await made.expectBounded();
});

test("lengths and counts that are not there are refused before anything is made for them, wherever they stand", async () => {
  const made = await world();
  const claims = [0x7fffffff, -2, 0x00ffffff];
  for (const whole of wholeRequests(TOPIC)) {
    for (const claim of claims) {
      const sockets: Socket[] = [];
      // The header's own fields too, but not the size.
      for (let at = 4; at + 4 <= whole.length; at += 2) {
        const frame = Buffer.from(whole);
        frame.writeInt32BE(claim, at);
        const socket = await open(made);
        socket.end(frame);
        sockets.push(socket);
      }
      await made.isServed();
      for (const socket of sockets) socket.destroy();
    }
  }
  // Four million names of no length, which would be as many objects.
  for (let round = 0; round < 5; round += 1) {
    const [socket] = [await open(made), await made.isServed()];
    expect(await answerTo(socket, manyNames(4_000_000))).toBeNull();
  }
  await made.expectBounded();
});

test.for(Object.entries(BOMBS))(
  "a batch of %s that unpacks to hundreds of megabytes is refused with its size, however many come",
  async ([, bomb]) => {
    const made = await world();
    const frame = produce(TOPIC, bomb());
    for (let round = 0; round < 5; round += 1) {
      const sockets = await Promise.all(Array.from({ length: 4 }, () => open(made)));
      const answers = sockets.map((socket) => answerTo(socket, frame));
      await made.isServed();
      for (const answer of await Promise.all(answers)) {
        // Behind size, correlation, and the one topic with its one partition.
        const at = 4 + 4 + 4 + 2 + TOPIC.length + 4 + 4;
        expect(answer?.readInt16BE(at)).toBe(MESSAGE_TOO_LARGE);
      }
    }
    await made.expectBounded();
  },
);
