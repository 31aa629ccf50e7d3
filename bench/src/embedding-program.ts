/** A process that starts brokers for tests, one after the other, and tells its parent how long each took; see embedding.ts. */
import { startBroker } from "@minikafka/testing";
import { clientOf, producerOf } from "./kafka-work.ts";

const ACKS_ALL = -1;

/** From the call to the first record that a client of Kafka's has acknowledged. */
async function firstAcknowledgedMs(): Promise<number> {
  const startMs = performance.now();
  const broker = await startBroker({ topics: { first: 1 } });
  const producer = await producerOf(clientOf(broker.daemon.kafkaAddresses[0]?.port ?? 0));
  await producer.send({ topic: "first", acks: ACKS_ALL, messages: [{ value: "v" }] });
  const tookMs = performance.now() - startMs;
  await producer.disconnect();
  await broker.close();
  return tookMs;
}

const starts = Number(process.argv[2]);
const tookMs: number[] = [];
for (let start = 0; start < starts; start += 1) tookMs.push(await firstAcknowledgedMs());
process.send?.(tookMs);
process.disconnect?.();
