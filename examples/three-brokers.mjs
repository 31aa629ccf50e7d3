/**
 * Three brokers under a manual clock, in one process: node examples/three-brokers.mjs
 *
 * A producer with acks all waits while followers copy its record, one step at a time; then the leader's broker stops, another
 * one is promoted, and the record is there. "ends" are the log end offsets of the replicas, "visible" is the high watermark.
 */
import { startBroker } from "@minikafka/testing";

const broker = await startBroker({ brokers: 3, clock: "manual", kafka: false });
const { client, step: stepper } = broker;
const admin = client.admin();
const place = { topic: "payments", partition: 0 };
await admin.createTopic({ topic: "payments", replicationFactor: 3 });

/** @param {string} title */
async function show(title) {
  const { highWatermark, replicas, isr } = await admin.describePartition(place);
  const ends = replicas.map(({ logEndOffset }) => logEndOffset ?? "-").join(" ");
  console.log(`${title.padEnd(12)}  ends ${ends}  visible ${highWatermark}  in sync ${isr}`);
}

const sent = client.producer({ acks: "all" }).send({ ...place, value: "paid" });
// The leader has it when its log has grown; nobody else does before a step.
while ((await admin.describePartition(place)).logEndOffset === 0);
await show("appended");
await stepper.replicateOnce({ topic: "payments", brokerId: 2 });
await show("broker 2 has");
await stepper.replicateOnce({ topic: "payments", brokerId: 3 });
await show("all have");
console.log(`acknowledged: offset ${(await sent).offset}`);

await admin.stopBroker(1);
await admin.promote(place, 2);
await show("2 leads");

const consumer = client.consumer();
consumer.assign([{ ...place, offset: 0 }]);
for await (const record of consumer) {
  console.log(`fetched: ${record.value}`);
  break;
}
await broker.close();
