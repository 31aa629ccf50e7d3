/**
 * Chapter 1's exercise in one process: no second terminal, nothing on the disk, the same messages: node examples/one-process.mjs
 *
 * Three records with one key go to one partition and keep the order of their sends, whatever the batching.
 */
import { startBroker } from "@minikafka/testing";

const broker = await startBroker({ topics: { orders: 2 }, kafka: false });
const { client } = broker;

const producer = client.producer({ batchBytes: 4096, lingerMs: 1000 });
const pending = ["0", "1", "2"].map((value) => producer.send({ topic: "orders", key: "alice", value }));
await producer.flush();
const partitions = new Set((await Promise.all(pending)).map(({ partition }) => partition));
console.log(partitions);

// Close to the metal: the kernel that the broker runs, in the same process.
console.log(broker.kernel.describeOffsets({ topic: "orders", partition: 1 }));

const consumer = client.consumer({ autoOffsetReset: "earliest" });
consumer.assign([...partitions].map((partition) => ({ topic: "orders", partition })));
const values = [];
for await (const record of consumer) if (values.push(String(record.value)) === 3) break;
console.log(values);

await broker.close();
