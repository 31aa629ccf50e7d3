/** How much a fetch may bring, of all partitions and of each. */
import { expect, test } from "vitest";
import { frameOfBatch } from "../src/kafka/batches/frame-of-batch.ts";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch, kafkaValues } from "./support/kafka-records.ts";

const TOPIC = "orders";
const MANY_BYTES = 1 << 20;

async function openWithTopic(settings = {}, partitions = 1) {
  const broker = await openKafkaBroker(settings);
  broker.cluster.createTopic({ topic: TOPIC, partitions });
  return { broker, client: await KafkaClient.open(broker) };
}

async function send(client: KafkaClient, value: string, index = 0): Promise<void> {
  const topicData = [{ name: TOPIC, partitionData: [{ index, records: kafkaBatch([value]) }] }];
  await client.ask("Produce", 9, { acks: 1, timeoutMs: 5_000, topicData });
}

interface Asked {
  readonly offset?: number;
  readonly maxWaitMs?: number;
  readonly maxBytes?: number;
  readonly partitionMaxBytes?: number;
  readonly partitions?: number;
}

/** What each of the first `partitions` brings. */
async function read(client: KafkaClient, asked: Asked) {
  const {
    offset: fetchOffset = 0,
    maxWaitMs = 0,
    maxBytes = MANY_BYTES,
    partitionMaxBytes = MANY_BYTES,
  } = asked;
  const partitions = Array.from({ length: asked.partitions ?? 1 }, (_none, partition) => ({
    ...{ partition, fetchOffset, partitionMaxBytes },
  }));
  const request = { maxWaitMs, minBytes: 1, maxBytes, topics: [{ topic: TOPIC, partitions }] };
  const { responses } = await client.ask("Fetch", 11, request);
  return responses[0]?.partitions.map(({ errorCode, records }) => ({
    errorCode,
    batches: kafkaValues(records),
  }));
}

/** Until a request has arrived, and waits; the test's own time limit ends it otherwise. */
async function untilWaiting(json: Session): Promise<void> {
  for (;;) {
    const { deadlines } = await json.call("pending_steps");
    if (deadlines.some(({ what }) => what === "long_poll")) return;
  }
}

test.each([0, -1])(
  "of %i bytes at most, of all or of a partition, the first batch comes all the same, and is waited for",
  async (most) => {
    const { client, broker } = await openWithTopic({ clock: "manual" });
    const writer = await KafkaClient.open(broker);
    const json = Session.open(broker);
    const bounds = [
      { maxBytes: most },
      { partitionMaxBytes: most },
      { maxBytes: most, partitionMaxBytes: most },
    ];
    for (const [round, bound] of bounds.entries()) {
      const offset = 2 * round;
      const nothing = read(client, { offset, maxWaitMs: 1_000, ...bound });
      await untilWaiting(json);
      await json.call("advance_clock", { ms: 1_000 });
      expect(await nothing).toEqual([{ errorCode: 0, batches: [] }]);
      const waiting = read(client, { offset, maxWaitMs: 1_000, ...bound });
      await untilWaiting(json);
      await send(writer, "a");
      await send(writer, "b");
      const first = [{ errorCode: 0, batches: [{ baseOffset: offset, values: ["a"] }] }];
      expect(await waiting).toEqual(first);
      expect(await read(client, { offset, ...bound })).toEqual(first);
    }
  },
);

test("an answer is bounded by the broker, however much was asked for of however many partitions", async () => {
  const { broker, client } = await openWithTopic({}, 4);
  const partitions = [0, 1, 2, 3];
  const frame = frameOfBatch(kafkaBatch(["x".repeat(2_000_000)]), 9);
  for (const partition of partitions)
    for (let batch = 0; batch < 10; batch += 1)
      await broker.cluster.appendBatch({ topic: TOPIC, partition }, Buffer.from(frame), { acks: 0 });
  const most = 0x7fff_ffff;
  const asked = partitions.map((partition) => ({ partition, fetchOffset: 0, partitionMaxBytes: most }));
  const request = {
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: most,
    topics: [{ topic: TOPIC, partitions: asked }],
  };
  const { responses } = await client.ask("Fetch", 11, request);
  const bytes = responses[0]?.partitions.map(({ records }) => records?.length ?? 0) ?? [];
  expect(bytes.map((each) => Math.floor(each / 2_000_000))).toEqual([10, 10, 10, 3]);
});

test("of a partition that is not the first with records no batch comes that is longer than was asked for of it", async () => {
  const { client } = await openWithTopic({}, 3);
  for (const partition of [1, 2]) await send(client, "a", partition);
  const [none, one] = [
    { errorCode: 0, batches: [] },
    { errorCode: 0, batches: [{ baseOffset: 0, values: ["a"] }] },
  ];
  for (const partitionMaxBytes of [0, 1])
    expect(await read(client, { partitions: 3, partitionMaxBytes })).toEqual([none, one, none]);
  expect(await read(client, { partitions: 3 })).toEqual([none, one, one]);
});
