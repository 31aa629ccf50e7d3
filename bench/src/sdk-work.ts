/** The same records through the SDK and a daemon over loopback: produced with acks 1, and fetched. */
import type { Client, ProducedRecord, Producer } from "@minikafka/client";
import type { Workload } from "./plan.ts";

/** Kafka's default of max.in.flight.requests.per.connection; with 1 client and daemon would take turns. */
const IN_FLIGHT = 5;
const BUFFER_BYTES_MAX = 8 * 1024 * 1024;
/** What the producing loop hands over before it looks whether there is room for more. */
const CHUNK_BYTES = 256 * 1024;

/** A producer's two ways: many records for one promise, or a promise for each. */
export type SendBy = "sendMany" | "send";

type Chunk = readonly ProducedRecord[];

/** Produces `volumeBytes` of values; ends when all are acknowledged. Returns how many records there were. */
export async function produceVolume(
  client: Client,
  records: readonly ProducedRecord[],
  { recordBytes, batchBytes }: Workload,
  { volumeBytes, sendBy }: { volumeBytes: number; sendBy: SendBy },
): Promise<number> {
  const chunkRecords = Math.floor(CHUNK_BYTES / recordBytes);
  const count = Math.ceil(volumeBytes / recordBytes);
  const producer = client.producer({
    batchBytes,
    bufferBytesMax: BUFFER_BYTES_MAX,
    inFlightPerPartitionMax: IN_FLIGHT,
    lingerMs: 5,
  });
  const send = sendBy === "send" ? sendEach : sendTogether;
  const sends: Promise<unknown>[] = [];
  let sent = 0;
  for (let from = 0; sent < count; from = (from + chunkRecords) % records.length) {
    const chunk = records.slice(from, from + Math.min(chunkRecords, count - sent));
    await producer.drain();
    sends.push(send(producer, chunk).then(forget));
    sent += chunk.length;
  }
  await producer.flush();
  await Promise.all(sends);
  await producer.close();
  return sent;
}

/** Who only waits for the acknowledgements keeps none of them. */
function forget(): void {}

function sendTogether(producer: Producer, chunk: Chunk): Promise<unknown> {
  return producer.sendMany(chunk);
}

function sendEach(producer: Producer, chunk: Chunk): Promise<unknown> {
  const promises: Promise<unknown>[] = [];
  for (const record of chunk) promises.push(producer.send(record));
  return Promise.all(promises);
}

/** Fetches `count` records from the beginning, with the consumer's own defaults. */
export async function fetchAll(client: Client, topic: string, count: number): Promise<number> {
  const consumer = client.consumer({ autoOffsetReset: "earliest" });
  consumer.assign([{ topic, partition: 0, offset: 0 }]);
  let records = 0;
  for await (const batch of consumer.batches()) {
    records += batch.records.length;
    if (records >= count) break;
  }
  await consumer.close();
  return records;
}
