/** Recipe: an application that uses @platformatic/kafka. */
import { brokerTest } from "@minikafka/testing/vitest";
import { Consumer, Producer, stringDeserializers, stringSerializers } from "@platformatic/kafka";
import { expect } from "vitest";

// The application: it says how many orders a customer has.

class OrderCount {
  readonly counts = new Map<string, number>();
  readonly #consumer;
  readonly #announcer;

  constructor(bootstrapBrokers: string[]) {
    const base = { clientId: "order-count", bootstrapBrokers };
    this.#consumer = new Consumer({
      ...base,
      groupId: "order-count",
      deserializers: stringDeserializers,
      maxWaitTime: 50,
    });
    this.#announcer = new Producer({ ...base, serializers: stringSerializers });
  }

  /** Counts until it has seen `last` orders. */
  async run(last: number): Promise<void> {
    const stream = await this.#consumer.consume({ topics: ["orders"], mode: "earliest", autocommit: false });
    let seen = 0;
    for await (const { key } of stream) {
      const count = (this.counts.get(key) ?? 0) + 1;
      this.counts.set(key, count);
      await this.#announcer.send({ messages: [{ topic: "counts", key, value: String(count) }] });
      seen += 1;
      if (seen === last) break;
    }
  }

  async close(): Promise<void> {
    await this.#consumer.close(true);
    await this.#announcer.close();
  }
}

// Its test.

const test = brokerTest({ waitTimeoutMs: 30_000, topics: { orders: 1, counts: 1 } });

test("orders are counted by customer, in their order", async ({ broker }) => {
  const keys = ["alice", "bob", "alice"];
  await broker.client.producer().sendMany(keys.map((key) => ({ topic: "orders", key, value: "order" })));
  const application = new OrderCount(broker.bootstrapBrokers);
  await application.run(3);
  await application.close();
  expect(broker.records("counts").map(({ key, value }) => `${key} ${value}`)).toEqual([
    "alice 1",
    "bob 1",
    "alice 2",
  ]);
  expect(await broker.waitForGroup("order-count", { state: "empty" })).toMatchObject({ members: [] });
});
