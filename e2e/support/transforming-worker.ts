/**
 * A worker that reads numbers in a group, writes their squares, and commits both in one transaction. Now and then it changes its mind,
 * leaves and comes back, or vanishes with a transaction open, to be heard of again when another has its transactional id.
 */
import {
  type Client,
  type Consumer,
  connect,
  hasCode,
  isRetriable,
  type Producer,
  type Transaction,
} from "@minikafka/client";
import { onTestFinished } from "vitest";
import { again } from "./again.ts";
import { CuttingProxy } from "./cutting-proxy.ts";
import type { Dice } from "./dice.ts";

export interface WorkerWorld {
  readonly below: Dice;
  readonly port: number;
  readonly bytesUntilCut: () => number;
  /** Asked by a worker that has nothing to do. */
  readonly isDone: () => Promise<boolean>;
  /** So many numbers were squared, in a transaction that is committed. */
  readonly committed: (count: number) => void;
}

export const GROUP = "squares";
const CHANGED_MIND = new Error("not now");
/** What a rebalance makes of a transaction: its records come again, here or to another. */
const OVERTAKEN = ["ILLEGAL_GENERATION", "NOT_PARTITION_OWNER", "UNKNOWN_MEMBER"] as const;

interface Instance {
  readonly client: Client;
  readonly proxy: CuttingProxy;
  readonly producer: Producer;
  readonly consumer: Consumer;
}

export class TransformingWorker {
  readonly name: string;
  readonly #world: WorkerWorld;
  readonly #vanished: Promise<void>[] = [];
  #instance!: Instance;

  constructor(name: string, world: WorkerWorld) {
    this.name = name;
    this.#world = world;
  }

  /** Works until everything is done, then waits for those who had vanished to hear that they were overtaken. */
  async run(): Promise<void> {
    const { below, isDone } = this.#world;
    this.#instance = await this.#newInstance();
    for (;;) {
      const drawn = below(40);
      if (drawn === 0) await this.#vanish();
      else if (drawn === 1) await this.#leave();
      else if (!(await this.#transform()) && (await isDone())) break;
    }
    await Promise.all(this.#vanished);
    await close(this.#instance);
  }

  /** Whether there was something to do. */
  async #transform(): Promise<boolean> {
    const { producer, consumer } = this.#instance;
    let count = 0;
    try {
      const tx = await producer.beginTransaction();
      try {
        count = await this.#read(this.#instance, tx);
        if (this.#world.below(8) === 0) throw CHANGED_MIND;
        await tx.sendOffsets(consumer);
        await tx.commit();
      } catch (error) {
        await tx.abort();
        throw error;
      }
      this.#world.committed(count);
    } catch (error) {
      await this.#readAgain(error);
    }
    return count > 0;
  }

  /** Of one poll or several, with the squares written. */
  async #read({ consumer }: Instance, tx: Transaction): Promise<number> {
    const { below } = this.#world;
    let count = 0;
    for (let polls = 1 + below(3); polls > 0; polls -= 1) {
      const records = await again(() => consumer.poll({ maxRecords: 1 + below(12), timeoutMs: 100 }));
      for (const { value } of records) {
        const number = Number(`${value}`);
        tx.send({ topic: "squares", key: `${number}`, value: `${number * number}` }).catch(() => {});
      }
      count += records.length;
    }
    return count;
  }

  async #readAgain(error: unknown): Promise<void> {
    if (error !== CHANGED_MIND && !hasCode(error, ...OVERTAKEN)) throw error;
    await again(() => this.#instance.consumer.seekToCommitted());
  }

  /** Cut off at some instant of a transaction, and not seen again before another has its place. */
  async #vanish(): Promise<void> {
    const { below, port } = this.#world;
    const { proxy, producer, consumer } = this.#instance;
    const gone = this.#instance;
    const tx = await producer.beginTransaction();
    await this.#read(gone, tx);
    const cutAt = below(3);
    const cut = () => {
      proxy.target = null;
      proxy.cutAll();
    };
    if (cutAt === 0) cut();
    const ended = (async () => {
      await tx.sendOffsets(consumer);
      if (cutAt === 1) cut();
      await tx.commit();
    })();
    ended.catch(() => {});
    if (cutAt === 2) {
      for (let turns = below(200); turns > 0; turns -= 1)
        await new Promise((resolve) => setImmediate(resolve));
      cut();
    }
    this.#instance = await this.#newInstance();
    await (await this.#instance.producer.beginTransaction()).abort();
    proxy.target = port;
    const heard = ended
      .catch((error: unknown) => {
        if (!hasCode(error, "PRODUCER_FENCED", ...OVERTAKEN) && !isRetriable(error)) throw error;
      })
      .then(() => close(gone));
    heard.catch(() => {});
    this.#vanished.push(heard);
  }

  async #leave(): Promise<void> {
    const { client, consumer } = this.#instance;
    await consumer.close();
    this.#instance = { ...this.#instance, consumer: newConsumer(client) };
  }

  async #newInstance(): Promise<Instance> {
    const proxy = await CuttingProxy.open(this.#world.bytesUntilCut);
    proxy.target = this.#world.port;
    const client = await connect({ port: proxy.port }, { requestTimeoutMs: 5_000, attemptsMax: 100 });
    onTestFinished(() => client.close().catch(() => {}));
    const producer = client.producer({ transactionalId: this.name });
    return { client, proxy, producer, consumer: newConsumer(client) };
  }
}

function newConsumer(client: Client): Consumer {
  const consumer = client.consumer({
    groupId: GROUP,
    isolation: "read_committed",
    autoCommit: false,
    autoOffsetReset: "earliest",
    sessionTimeoutMs: 2_000,
    heartbeatIntervalMs: 100,
    fetchWaitMs: 100,
  });
  consumer.subscribe(["numbers"]).catch(() => {});
  return consumer;
}

async function close({ producer, consumer, client }: Instance): Promise<void> {
  await producer.close().catch(() => {});
  await consumer.close().catch(() => {});
  await client.close().catch(() => {});
}
