/** What befalls brokers while Kafka's clients go on: leaders that change, brokers that are away, a daemon that is killed. */
import type { Kafka, Producer } from "kafkajs";
import { expect, test } from "vitest";
import { again } from "./support/again.ts";
import { startDaemon } from "./support/daemon.ts";
import { type KafkaWorld, kafkaWorld, Member, opened } from "./support/kafka-world.ts";

const TOPIC = "ledger";
const PARTITIONS = 2;

/** Sends numbers, one request after the other, until it is stopped; each that it was told of is a promise. */
class Feed {
  readonly #producer: Producer;
  readonly #work: Promise<void>;
  #isOver = false;
  #wake: () => void = () => {};
  acknowledged = 0;

  private constructor(producer: Producer) {
    this.#producer = producer;
    this.#work = this.#loop();
    this.#work.catch(() => {});
  }

  static async start(kafka: Kafka): Promise<Feed> {
    return new Feed(await opened(kafka.producer({ idempotent: true, maxInFlightRequests: 1 })));
  }

  async #loop(): Promise<void> {
    while (!this.#isOver) {
      const number = this.acknowledged;
      const message = { partition: number % PARTITIONS, value: `${number}` };
      await this.#producer.send({ topic: TOPIC, acks: -1, messages: [message] });
      this.acknowledged += 1;
      this.#wake();
    }
  }

  /** Until so many more have been acknowledged; fails with what ended it. */
  async more(count: number): Promise<void> {
    const goal = this.acknowledged + count;
    while (this.acknowledged < goal) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([woken, this.#work]);
    }
  }

  async stop(): Promise<number> {
    this.#isOver = true;
    await this.#work;
    return this.acknowledged;
  }
}

async function replicated(): Promise<KafkaWorld> {
  const world = await kafkaWorld(["--brokers", "3", "--replica-lag-time-ms", "300"]);
  const config = { min_insync_replicas: 2 };
  await world.client
    .admin()
    .createTopic({ topic: TOPIC, partitions: PARTITIONS, replicationFactor: 3, config });
  return world;
}

/** All that is there, in each partition in its order and once. */
async function expectNumbers(kafka: Kafka, count: number): Promise<void> {
  const admin = await opened(kafka.admin());
  const ends = await admin.fetchTopicOffsets(TOPIC);
  expect(ends.map(({ offset }) => Number(offset)).reduce((sum, end) => sum + end)).toBe(count);
  const member = await Member.join(kafka, { topic: TOPIC, groupId: "audit" });
  await member.read(count);
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const own = member.messages.filter((message) => message.partition === partition);
    const expected = Array.from({ length: count }, (_, number) => `${number}`);
    expect(own.map(({ value }) => `${value}`)).toEqual(
      expected.filter((value) => Number(value) % PARTITIONS === partition),
    );
  }
}

/**
 * The brokers that lead nothing go away alone; what they led is led by others, as an operator would have it. On a busy machine the others may
 * have left those in sync in the same moment: then it comes back, and goes when they have caught up.
 */
async function stop({ client }: KafkaWorld, away: number, topics: readonly string[]): Promise<void> {
  const admin = client.admin();
  for (;;) {
    await again(() => admin.stopBroker(away));
    let isLed = true;
    for (const topic of topics)
      for (const { partition, leaderId, isr } of (await admin.metadata(topic)).partitions) {
        if ((leaderId ?? away) !== away) continue;
        const next = isr.find((brokerId) => brokerId !== away);
        if (next === undefined) isLed = false;
        else await again(() => admin.promote({ topic, partition }, next));
      }
    if (isLed) return;
    await again(() => admin.startBroker(away));
  }
}

async function leaderOf({ client }: KafkaWorld, partition: number): Promise<number> {
  const { partitions } = await client.admin().metadata(TOPIC);
  return partitions[partition]?.leaderId ?? -1;
}

test("an idempotent kafkajs producer goes on while leaders change under it: nothing is lost or there twice", async () => {
  const world = await replicated();
  const admin = world.client.admin();
  const feed = await Feed.start(world.kafka);
  for (const brokerId of [2, 3, 1, 3]) {
    await feed.more(5);
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      await again(() => admin.promote({ topic: TOPIC, partition }, brokerId));
    expect(await leaderOf(world, 0)).toBe(brokerId);
  }
  await feed.more(5);
  await expectNumbers(world.kafka, await feed.stop());
});

test("an idempotent kafkajs producer goes on while brokers stop and start: nothing is lost or there twice", async () => {
  const world = await replicated();
  const admin = world.client.admin();
  const feed = await Feed.start(world.kafka);
  for (let round = 0; round < 3; round += 1) {
    await feed.more(5);
    const away = await leaderOf(world, 0);
    await stop(world, away, [TOPIC]);
    await feed.more(5);
    await again(() => admin.startBroker(away));
  }
  await feed.more(5);
  await expectNumbers(world.kafka, await feed.stop());
});

test("a group whose coordinator goes away finds the next one, and goes on where it had committed", async () => {
  const world = await replicated();
  const admin = world.client.admin();
  const producer = await opened(world.kafka.producer());
  const send = (value: string) => producer.send({ topic: TOPIC, messages: [{ partition: 0, value }] });
  await send("before");
  const member = await Member.join(world.kafka, { topic: TOPIC });
  await member.read(1);
  for (const brokerId of [1, 2, 3]) {
    await stop(world, brokerId, [TOPIC, "__consumer_offsets"]);
    await send(`without ${brokerId}`);
    await member.until(() => member.values.includes(`without ${brokerId}`));
    await again(() => admin.startBroker(brokerId));
  }
  expect(new Set(member.values)).toEqual(new Set(["before", "without 1", "without 2", "without 3"]));
});

test("whenever the daemon is killed and started again, kafkajs goes on: what was acknowledged is there, in order and once", async () => {
  const first = await kafkaWorld();
  await first.client.admin().createTopic({ topic: TOPIC, partitions: PARTITIONS });
  const port = String(first.daemon.kafka[0]?.port);
  const feed = await Feed.start(first.kafka);
  let { daemon } = first;
  for (let kill = 0; kill < 3; kill += 1) {
    await feed.more(5);
    await daemon.end("SIGKILL");
    daemon = await startDaemon(daemon.data, ["--kafka-port", port, "--log-level", "error"]);
  }
  await feed.more(5);
  await expectNumbers(first.kafka, await feed.stop());
});
