/**
 * A worker that reads numbers in a group, writes their squares, and commits both in one transaction. Now and then it changes its mind,
 * leaves and comes back, or vanishes with a transaction open, to be heard of again when another does its work: one of the same
 * transactional id, which ends that transaction, or one of another, so that its timeout does.
 */
import {
  type Client,
  type Consumer,
  hasCode,
  isRetriable,
  MiniKafkaError,
  type Producer,
  type Transaction,
} from "@minikafka/client";
import { again } from "./again.ts";
import { CutClient, drawCutAt, someTurns } from "./cut-client.ts";
import type { Dice } from "./dice.ts";

export interface WorkerWorld {
  readonly below: Dice;
  readonly port: number;
  readonly bytesUntilCut: () => number;
  /** Asked by a worker that has nothing to do. */
  readonly isDone: () => Promise<boolean>;
  /** So many numbers were read, each of them once at least. */
  readonly read: (count: number) => void;
}

export const GROUP = "squares";
const CHANGED_MIND = new Error("not now");
/** What a rebalance or a timeout makes of a transaction: its records come again, here or to another. */
const OVERTAKEN = [
  "ILLEGAL_GENERATION",
  "NOT_PARTITION_OWNER",
  "UNKNOWN_MEMBER",
  "TRANSACTION_ABORTED",
] as const;

interface Instance {
  readonly link: CutClient;
  readonly producer: Producer;
  readonly consumer: Consumer;
}

export class TransformingWorker {
  readonly #name: string;
  readonly #world: WorkerWorld;
  readonly #vanished: Promise<void>[] = [];
  #successors = 0;
  #hasAborted = false;
  #instance!: Instance;

  constructor(name: string, world: WorkerWorld) {
    this.#name = name;
    this.#world = world;
  }

  /** Works until everything is done, then waits for those who had vanished to hear that they were overtaken. */
  async run(): Promise<void> {
    const { below, isDone } = this.#world;
    this.#instance = await this.#newInstance();
    for (;;) {
      const drawn = below(40);
      if (drawn === 0) await this.#vanish();
      else if (drawn < 5) await this.#leave();
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
        count = await this.#square(consumer, tx);
        if (this.#world.below(8) === 0) throw CHANGED_MIND;
        if (count > 0 && !this.#hasAborted) {
          // So that there is something to be hidden in any case.
          await producer.flush();
          this.#hasAborted = true;
          throw CHANGED_MIND;
        }
        await tx.sendOffsets(consumer);
        await tx.commit();
      } catch (error) {
        await tx.abort();
        throw error;
      }
    } catch (error) {
      if (error !== CHANGED_MIND && !hasCode(error, ...OVERTAKEN) && !isOutOfPatience(error)) throw error;
      await again(() => consumer.seekToCommitted());
    }
    return count > 0;
  }

  /** What one poll brings, or several, between which the broker may have something to say. */
  async #square(consumer: Consumer, tx: Transaction): Promise<number> {
    const { below } = this.#world;
    let count = 0;
    for (let polls = 1 + below(3); polls > 0; polls -= 1) {
      const records = await again(() => consumer.poll({ maxRecords: 1 + below(12), timeoutMs: 100 }));
      const sends = records.map(({ value }) => {
        const number = Number(`${value}`);
        return tx.send({ topic: "squares", key: `${number}`, value: `${number * number}` });
      });
      const settled = Promise.allSettled(sends);
      if (below(2) === 0) await settled;
      count += records.length;
      this.#world.read(records.length);
    }
    return count;
  }

  /** Cut off at some instant of a transaction, and not seen again before another has its place. */
  async #vanish(): Promise<void> {
    const { below } = this.#world;
    const gone = this.#instance;
    const { link, producer, consumer } = gone;
    const tx = await producer.beginTransaction();
    await this.#square(consumer, tx);
    const cutAt = drawCutAt(below);
    if (cutAt === "before") link.vanish();
    const ended = (async () => {
      await tx.sendOffsets(consumer);
      if (cutAt === "sent") link.vanish();
      await tx.commit();
    })();
    ended.catch(() => {});
    if (cutAt === "at random") {
      await someTurns(below);
      link.vanish();
    }
    this.#successors += below(2);
    this.#instance = await this.#newInstance();
    await (await this.#instance.producer.beginTransaction()).abort();
    link.comeBack();
    const heard = ended
      .catch((error: unknown) => {
        if (hasCode(error, "PRODUCER_FENCED", ...OVERTAKEN) || isOutOfPatience(error)) return;
        if (!isRetriable(error)) throw error;
      })
      .then(() => close(gone));
    heard.catch(() => {});
    this.#vanished.push(heard);
  }

  async #leave(): Promise<void> {
    const { link, consumer } = this.#instance;
    await consumer.close();
    this.#instance = { ...this.#instance, consumer: newConsumer(link.client) };
  }

  async #newInstance(): Promise<Instance> {
    const link = await CutClient.open(this.#world.port, this.#world.bytesUntilCut);
    const transactionalId = `${this.#name}-${this.#successors}`;
    const producer = link.client.producer({ transactionalId, transactionTimeoutMs: 3_000 });
    return { link, producer, consumer: newConsumer(link.client) };
  }
}

/** Of a transaction that cannot be committed since the broker, or a leader, was away for as long as anything is tried again. */
function isOutOfPatience(error: unknown): boolean {
  if (!(error instanceof MiniKafkaError) || !error.abortable) return false;
  return isRetriable(error.cause) || isOutOfPatience(error.cause);
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

async function close({ link, producer, consumer }: Instance): Promise<void> {
  await producer.close().catch(() => {});
  await consumer.close().catch(() => {});
  await link.client.close().catch(() => {});
}
