/** A program that has nothing left to live for but the end of its broker, in which a record waits for a follower that does not run: `npm run unacknowledged`. */
import { startBroker } from "@minikafka/testing";

const broker = await startBroker({ brokers: 3, topics: { orders: { replicationFactor: 3 } } });
await broker.client.admin().stopBroker(3);
broker.client
  .producer({ acks: "all" })
  .send({ topic: "orders", value: "paid" })
  .catch(() => undefined);
await broker.waitUntil("the leader has it", () => broker.partition("orders", 0).logEndOffset === 1);
await broker.close();
console.log("closed");
