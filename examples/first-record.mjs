/**
 * The first record, over TCP. Start a broker in another terminal (`npm start`), then: node examples/first-record.mjs
 *
 * The partition is 1 because crc32("alice") % 2 is 1; the offset is 0 because this is the partition's first record.
 */
import { connect, hasCode } from "@minikafka/client";

const broker = process.env.MINIKAFKA_BROKER ?? "127.0.0.1:9192";
const client = await connect({ broker }).catch((error) => {
  if (!hasCode(error, "CONNECTION")) throw error;
  console.error(`no broker answers at ${broker}; start one with npm start, in another terminal`);
  process.exit(1);
});
try {
  await client.admin().createTopic({ topic: "first", partitions: 2 });
} catch (error) {
  if (!hasCode(error, "TOPIC_ALREADY_EXISTS")) throw error;
}

const producer = client.producer({ acks: "all" });
const { partition, offset } = await producer.send({ topic: "first", key: "alice", value: "created" });
console.log(`partition=${partition} offset=${offset}`);

const consumer = client.consumer();
// With acks 0 the offset would be unknown (null).
consumer.assign([{ topic: "first", partition, offset: offset ?? "end" }]);
for await (const record of consumer) {
  console.log([record.offset, String(record.key), String(record.value)]);
  break;
}
await client.close();
