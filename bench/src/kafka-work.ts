/** What a client of Kafka's does with a broker: kafkajs, as its users have it, on one broker after the other. */
import { Kafka, logLevel, Partitioners, type Producer } from "kafkajs";

const PARTITIONS = 4;
const ACKS_ALL = -1;

export interface Shape {
  readonly recordBytes: number;
  /** In each request. */
  readonly batchRecords: number;
  readonly records: number;
}

export function clientOf(port: number): Kafka {
  return new Kafka({
    clientId: "bench",
    brokers: [`127.0.0.1:${port}`],
    logLevel: logLevel.NOTHING,
    // A broker that has just been started is asked again soon.
    retry: { initialRetryTime: 10, maxRetryTime: 30, retries: 2_000 },
  });
}

export async function producerOf(client: Kafka): Promise<Producer> {
  const producer = client.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  return producer;
}

/** Resolves when a record is acknowledged by whoever has to have it. */
async function sendOne(producer: Producer, topic: string, value: Buffer): Promise<void> {
  await producer.send({ topic, acks: ACKS_ALL, messages: [{ value, partition: 0 }] });
}

/** From now until a first record, in a topic that this makes, is acknowledged. */
export async function firstAcknowledged(port: number): Promise<void> {
  const producer = await producerOf(clientOf(port));
  await sendOne(producer, "first", Buffer.from("v"));
  await producer.disconnect();
}

export async function makeTopic(client: Kafka, topic: string): Promise<void> {
  const admin = client.admin();
  await admin.connect();
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: PARTITIONS }] });
  await admin.disconnect();
}

/** One request at a time on each of four partitions. Returns the milliseconds. */
export async function produceAll(
  producer: Producer,
  topic: string,
  { recordBytes, batchRecords, records }: Shape,
): Promise<number> {
  const value = Buffer.alloc(recordBytes, "v");
  const startMs = performance.now();
  const each = Array.from({ length: PARTITIONS }, async (_, partition) => {
    const messages = Array.from({ length: batchRecords }, () => ({ value, partition }));
    for (let sent = 0; sent < records / PARTITIONS; sent += batchRecords) {
      await producer.send({ topic, acks: ACKS_ALL, messages });
    }
  });
  await Promise.all(each);
  return performance.now() - startMs;
}

/** Reads `records` from the start, as a group of one. Returns the milliseconds from the first batch to the last. */
export async function consumeAll(client: Kafka, topic: string, records: number): Promise<number> {
  const consumer = client.consumer({ groupId: `${topic}-readers`, sessionTimeout: 60_000 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const tookMs = await new Promise<number>((resolve, reject) => {
    let [count, startMs] = [0, 0];
    const eachBatch = async ({ batch }: { batch: { messages: readonly unknown[] } }) => {
      if (count === 0) startMs = performance.now();
      count += batch.messages.length;
      if (count >= records) resolve(performance.now() - startMs);
    };
    consumer.run({ eachBatch }).catch(reject);
  });
  await consumer.disconnect();
  return tookMs;
}

/** One record after the other, each waited for: how long each took, in milliseconds. */
export async function roundTrips(producer: Producer, topic: string, count: number): Promise<number[]> {
  const value = Buffer.alloc(100, "v");
  const tookMs: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const startMs = performance.now();
    await sendOne(producer, topic, value);
    tookMs.push(performance.now() - startMs);
  }
  return tookMs;
}
