import { readBatchHeader } from "@minikafka/record";
import { connect } from "../../src/client.ts";
import { ManualClock } from "../../src/clock.ts";
import type { ConsumerOptions } from "../../src/consumer/consumer-options.ts";
import type { ProducerOptions } from "../../src/producer/producer-options.ts";
import type { Transaction } from "../../src/producer/transaction/transaction.ts";
import { texts } from "./consuming.ts";
import { MemoryBroker } from "./memory-broker.ts";
import { quiet } from "./scripted-peer.ts";

export const ID = "billing";

/** A transactional producer on a stepped clock, and the broker that it talks to. */
export async function transacting(options: ProducerOptions = {}) {
  const broker = new MemoryBroker({ orders: 2, paid: 1 });
  const clock = new ManualClock(1_000);
  const client = await connect({ link: broker.peer.link }, { clock });
  const another = () => client.producer({ transactionalId: ID, ...options });
  const consumer = (more: ConsumerOptions = {}) =>
    client.consumer({ autoOffsetReset: "earliest", isolation: "read_committed", ...more });
  /** What readers of committed records see of the partition. */
  const committed = async (topic = "orders", partition = 0) => {
    const reader = consumer();
    reader.assign([{ topic, partition }]);
    const values = texts(await reader.poll());
    const lag = (await reader.lag())[0]?.lag;
    await reader.close();
    return { values, lag };
  };
  /** Producer id, epoch and sequence of each batch that was produced. */
  const sequences = () =>
    broker.produced.map(({ batch_b64: frame = Buffer.alloc(0) }) => {
      const { producerId, producerEpoch, baseSequence } = readBatchHeader(frame);
      return [producerId, producerEpoch, baseSequence];
    });
  /** Lets time pass until nothing happens any more. */
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await quiet();
      clock.advance(500);
    }
  };
  return {
    broker,
    peer: broker.peer,
    transactions: broker.transactions,
    clock,
    client,
    producer: another(),
    another,
    consumer,
    committed,
    sequences,
    settle,
  };
}

/** Sends a record to the first partition of orders. */
export const sendTo = (tx: Transaction, value: string, partition = 0) =>
  tx.send({ topic: "orders", partition, value });
