/**
 * Faults on purpose, in one process: node examples/lost-answers.mjs
 *
 * An answer that is lost leaves a plain producer in doubt, and a second try makes two records of one; an idempotent producer tries
 * again by itself, and there is one. Then two producers race, and a hold says who comes first.
 */
import { isFateUnknown } from "@minikafka/client";
import { startBroker } from "@minikafka/testing";

const broker = await startBroker({ kafka: false });
const { client } = broker;
const lab = await broker.connect();
const faults = lab.faults();

/** @param {string} topic */
async function valuesOf(topic) {
  const consumer = lab.consumer({ autoOffsetReset: "earliest" });
  consumer.assign([{ topic, partition: 0 }]);
  const { offset: end } = await lab.admin().listOffsets({ topic, partition: 0, at: "latest" });
  const values = [];
  while (values.length < (end ?? 0))
    for (const { value } of await consumer.poll()) values.push(String(value));
  await consumer.close();
  return values.join(" ");
}

for (const [topic, idempotent] of /** @type {const} */ ([
  ["plain", false],
  ["idempotent", true],
])) {
  await lab.admin().createTopic({ topic });
  const lost = await faults.arm({ point: "request.produce", action: "close_after", topic });
  const producer = client.producer({ idempotent });
  try {
    await producer.send({ topic, value: "paid" });
    console.log(`${topic}: acknowledged`);
  } catch (error) {
    if (!isFateUnknown(/** @type {import("@minikafka/client").MiniKafkaError} */ (error))) throw error;
    console.log(`${topic}: nobody knows, so it is sent again`);
    await producer.send({ topic, value: "paid" });
  }
  await lost.assertFired();
  console.log(`${topic}: ${await valuesOf(topic)}`);
}

await lab.admin().createTopic({ topic: "race" });
const hold = await faults.arm({ point: "request.produce", action: "hold", topic: "race" });
const slow = client.producer().send({ topic: "race", value: "slow" });
await hold.whenFired();
await lab.producer().send({ topic: "race", value: "quick" });
await hold.release();
await slow;
console.log(`race: ${await valuesOf("race")}`);

await broker.close();
