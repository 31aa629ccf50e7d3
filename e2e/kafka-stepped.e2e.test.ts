/** Groups of kafkajs while the broker's clock stands: nobody is lost at a breakpoint, and a step loses whom it should. */
import { expect, test } from "vitest";
import { KillSwitch } from "./support/kafka-kill-switch.ts";
import { type KafkaWorld, kafkaOf, kafkaWorld, Member, opened } from "./support/kafka-world.ts";

const TOPIC = "orders";
const SESSION_MS = 30_000;

async function stepped() {
  const world = await kafkaWorld(["--clock", "manual"]);
  await world.client.admin().createTopic({ topic: TOPIC, partitions: 2 });
  const producer = await opened(world.kafka.producer());
  const messages = [0, 1].map((partition) => ({ partition, value: `v${partition}` }));
  await producer.send({ topic: TOPIC, messages });
  return world;
}

const membersOf = async ({ client }: KafkaWorld) =>
  (await client.admin().describeGroup("readers")).members.length;

/** Fetches wait on the broker's clock: it goes on until the members have what they wait for. */
async function pump({ client }: KafkaWorld, holds: () => boolean): Promise<void> {
  const stepper = client.stepper();
  while (!holds()) {
    await stepper.advanceClock(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a member at a breakpoint stays in its group while the clock stands, and is lost by the step that finds its session over", async () => {
  const world = await stepped();
  const stepper = world.client.stepper();
  let release = () => {};
  const breakpoint = new Promise<void>((resolve) => {
    release = resolve;
  });
  const member = await Member.join(world.kafka, {
    topic: TOPIC,
    work: () => breakpoint,
    sessionTimeout: SESSION_MS,
  });
  await member.read(1);
  expect((await stepper.expireMembers()).expired).toEqual([]);
  expect(await membersOf(world)).toBe(1);
  await stepper.advanceClock(SESSION_MS - 1);
  expect((await stepper.expireMembers()).expired).toEqual([]);
  expect(await membersOf(world)).toBe(1);
  await stepper.advanceClock(1);
  expect((await stepper.expireMembers()).expired).toMatchObject([
    { groupId: "readers", cause: "session_timeout" },
  ]);
  expect(await membersOf(world)).toBe(0);
  release();
  await pump(world, () => member.joins === 2);
  expect(await membersOf(world)).toBe(1);
});

test("a member whose machine is gone keeps its partitions until a step expires it, and those who go on beating take them over", async () => {
  const world = await stepped();
  const stepper = world.client.stepper();
  const options = { topic: TOPIC, sessionTimeout: SESSION_MS };
  const survivor = await Member.join(world.kafka, options);
  const network = new KillSwitch();
  const { socketFactory } = network;
  const lost = await Member.begin(
    kafkaOf(world.daemon, { clientId: "lost", socketFactory, retry: { retries: 0 } }),
    {
      ...options,
      retry: { retries: 0, restartOnFailure: async () => false },
    },
  );
  await pump(world, () => [survivor, lost].every(({ assignment }) => assignment?.length === 1));
  network.kill();
  await stepper.advanceClock(SESSION_MS - 1_000);
  const { beats } = survivor;
  await pump(world, () => survivor.beats > beats);
  expect((await stepper.expireMembers()).expired).toEqual([]);
  await stepper.advanceClock(1_000);
  expect((await stepper.expireMembers()).expired).toMatchObject([
    { groupId: "readers", memberId: expect.stringMatching(/^lost-/) },
  ]);
  await pump(world, () => survivor.assignment?.length === 2);
  expect(await membersOf(world)).toBe(1);
});

test("a fetch that waits is answered by the step that moves the clock, or by the record that comes", async () => {
  const world = await stepped();
  const member = await Member.join(world.kafka, { topic: TOPIC, maxWaitTimeInMs: 3_600_000 });
  await member.read(2);
  const producer = await opened(world.kafka.producer());
  await producer.send({ topic: TOPIC, messages: [{ partition: 0, value: "new" }] });
  await member.read(3);
  expect(member.values.sort()).toEqual(["new", "v0", "v1"]);
  await world.client.stepper().advanceClock(3_600_000);
});
