/**
 * Orders become payments exactly once, over crashes of the work: node examples/exactly-once.mjs
 *
 * One transaction holds the payments and the group's offsets, so that both count or neither. Work that breaks off is aborted and
 * done again from where the group has committed; whoever reads committed records sees each payment once.
 */
import { hasCode, MiniKafkaError } from "@minikafka/client";
import { startBroker } from "@minikafka/testing";

const broker = await startBroker({ topics: { orders: 2, payments: 1 }, kafka: false });
const { client } = broker;
const orders = client.producer({ idempotent: true });
await orders.sendMany(
  Array.from({ length: 6 }, (_, number) => ({
    topic: "orders",
    partition: number % 2,
    value: `order ${number}`,
  })),
);

const consumer = client.consumer({
  groupId: "billing",
  autoOffsetReset: "earliest",
  isolation: "read_committed",
  autoCommit: false,
});
await consumer.subscribe("orders");
await consumer.ready();
const producer = client.producer({ transactionalId: "billing-1" });

/** What the work itself knows to pass. */
class OutOfPaper extends Error {}

/** Whether its time was over, an operator aborted it, or a rebalance came in between. @param {unknown} error */
const wasInterrupted = (error) =>
  error instanceof MiniKafkaError &&
  error.abortable &&
  hasCode(error, "TRANSACTION_ABORTED", "ILLEGAL_GENERATION", "UNKNOWN_MEMBER", "NOT_PARTITION_OWNER");

/** Pays a few orders. @param {boolean} breaks @returns {Promise<number>} */
async function payOnce(breaks) {
  const records = await consumer.poll({ maxRecords: 2, timeoutMs: 1_000 });
  if (records.length === 0) return 0;
  await producer.transaction(async (tx) => {
    for (const { value } of records)
      void tx.send({ topic: "payments", key: value, value: `paid for ${value}` });
    await tx.sendOffsets(consumer);
    if (breaks) throw new OutOfPaper("out of paper");
  });
  return records.length;
}

/** The second attempt breaks in the middle. */
let attempts = 0;
for (let paid = 0; paid < 6; ) {
  attempts += 1;
  try {
    const count = await payOnce(attempts === 2);
    paid += count;
    console.log(`attempt ${attempts}: committed ${count}`);
  } catch (error) {
    // Nothing else passes by itself: the program ends, and its next start ends what is open.
    if (!(error instanceof OutOfPaper || wasInterrupted(error))) throw error;
    console.log(`attempt ${attempts}: aborted, ${/** @type {Error} */ (error).message}`);
    await consumer.seekToCommitted();
  }
}

/** @param {"read_committed" | "read_uncommitted"} isolation */
async function payments(isolation) {
  const reader = client.consumer({ autoOffsetReset: "earliest", isolation });
  reader.assign([{ topic: "payments", partition: 0 }]);
  const records = await reader.poll();
  await reader.close();
  return records.length;
}

console.log(
  `payments: ${await payments("read_committed")} committed, ${await payments("read_uncommitted")} in the log`,
);
const committed = await client.admin().fetchOffsets("billing");
console.log(
  `orders paid for: ${committed.map(({ partition, offset }) => `${partition}:${offset}`).join(" ")}`,
);
await broker.close();
