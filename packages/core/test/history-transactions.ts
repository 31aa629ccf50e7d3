/**
 * Transactions of a history: producers that write and end them as their coordinator would, and what a reader of committed records
 * may see of them. An end that was decided is asked for until it is answered, however often that takes.
 */
import assert from "node:assert/strict";
import { encodeBatch, readBatchHeader, readMarker, splitFrames } from "@minikafka/record";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { Random } from "../src/env/random.ts";
import { BrokerError } from "../src/errors.ts";
import { stableEnd } from "../src/replica/last-stable-offset.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import { committedRecords, endTransaction } from "./replica-transactions-world.ts";
import { ORDERS } from "./replica-world.ts";

const PRODUCERS = 3;
const KEYS = 3;

interface Transaction extends ProducerIdentity {
  /** What was acknowledged, by offset. */
  readonly written: Map<number, { readonly key: string; readonly value: string }>;
  sent: number;
  /** Appends whose answer is open. */
  pending: number;
  /** An append was refused, so that nobody may commit. */
  isDoomed: boolean;
  /** What was decided. */
  control: "commit" | "abort" | null;
  isEnded: boolean;
}

export class HistoryTransactions {
  readonly #random: Random;
  /** The last one is the producer's present one. */
  readonly #byProducer: Transaction[][] = [];
  #problem: unknown = null;
  #values = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** How many have ended so. */
  count(control: "commit" | "abort"): number {
    return this.#all.filter((each) => each.isEnded && each.control === control).length;
  }

  /** One of the producers writes, or goes on with the end. Returns what it did. */
  step(cluster: BrokerCluster): string {
    const transaction = this.#present(cluster);
    const name = `${transaction.producerId}:${transaction.producerEpoch}`;
    const { control, pending, sent } = transaction;
    const mayEnd = control !== null || (pending === 0 && sent > 0 && this.#random.below(2) === 0);
    if (!mayEnd) return `write ${this.#write(cluster, transaction)} in ${name}`;
    const fate = control ?? (transaction.isDoomed || this.#random.below(4) === 0 ? "abort" : "commit");
    transaction.control = fate;
    this.#end(cluster, transaction, fate);
    return `${fate} ${name}`;
  }

  /** Every transaction ends: those that nobody has decided on are aborted, as when their time is over. */
  finish(cluster: BrokerCluster): void {
    for (const transaction of this.#all) {
      if (transaction.isEnded) continue;
      assert.equal(transaction.pending, 0, "nobody waits for an append any more");
      transaction.control ??= "abort";
      this.#end(cluster, transaction, transaction.control);
    }
  }

  /** What must hold whenever somebody leads. */
  check(cluster: BrokerCluster): void {
    if (this.#problem !== null) throw this.#problem;
    const set = cluster.replicaSet(ORDERS);
    if (set.leaderId === null) return;
    const { leaderLog, highWatermark, lastStableOffset } = set;
    assert.equal(lastStableOffset, stableEnd(leaderLog, highWatermark), "the last stable offset");
    const visible = new Map(
      committedRecords(cluster, ORDERS)
        .filter(({ isTransactional }) => isTransactional)
        .map(({ offset, value }) => [offset, value]),
    );
    for (const transaction of this.#all)
      this.#checkVisible(transaction, visible, { startOffset: leaderLog.logStartOffset, lastStableOffset });
    assert.deepEqual([...visible.values()], [], "visible, and of no transaction that was to be committed");
  }

  /** All have ended, and every replica holds all that there is. */
  checkEnded(cluster: BrokerCluster): void {
    this.check(cluster);
    const set = cluster.replicaSet(ORDERS);
    for (const { log } of set.copies) assert.deepEqual(log.openTransactions, []);
    assert.ok(this.#all.every(({ isEnded }) => isEnded));
    assert.equal(set.lastStableOffset, set.highWatermark);
    this.#checkMarkers(cluster);
  }

  /** A record that may be seen is taken off `visible`; every one that must be there is. */
  #checkVisible(
    { control, written, producerId, producerEpoch }: Transaction,
    visible: Map<number, string>,
    { startOffset, lastStableOffset }: { startOffset: number; lastStableOffset: number },
  ): void {
    if (control !== "commit") return;
    for (const [offset, { key, value }] of written) {
      const isThere = visible.get(offset) === value;
      const isAsked = offset >= startOffset && offset < lastStableOffset && !this.#isReplaced(key, offset);
      assert.ok(isThere || !isAsked, `${value} of ${producerId}:${producerEpoch} at ${offset} is not there`);
      if (isThere) visible.delete(offset);
    }
  }

  /** Compaction may have taken a record that has a later one of its key, which counts. */
  #isReplaced(key: string, offset: number): boolean {
    return this.#all.some(
      ({ control, written }) =>
        control === "commit" && [...written].some(([later, record]) => later > offset && record.key === key),
    );
  }

  #checkMarkers(cluster: BrokerCluster): void {
    const { leaderLog: log } = cluster.replicaSet(ORDERS);
    const ends = new Map(this.#all.map((each) => [`${each.producerId}:${each.producerEpoch + 1}`, each]));
    for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
      const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
      for (const frame of splitFrames(batches)) {
        const { control, producerId, producerEpoch, recordCount, baseOffset } = readBatchHeader(frame);
        if (control === null || recordCount === 0) continue;
        const transaction = ends.get(`${producerId}:${producerEpoch}`);
        assert.equal(transaction?.control, control, `the marker at ${baseOffset}`);
        // The first of those that were not deleted before it came.
        const first = readMarker(frame)?.firstOffset ?? -1;
        if (!transaction.isDoomed) assert.ok(transaction.written.has(first), `${first} as a first offset`);
      }
      offset = nextOffset;
    }
  }

  get #all(): Transaction[] {
    return this.#byProducer.flat();
  }

  #present(cluster: BrokerCluster): Transaction {
    const drawn = this.#random.below(PRODUCERS);
    const transactions = this.#byProducer[drawn] ?? [];
    if (this.#byProducer[drawn] === undefined) this.#byProducer.push(transactions);
    const last = transactions.at(-1);
    if (last !== undefined && !last.isEnded) return last;
    const identity =
      last === undefined
        ? cluster.initProducer({})
        : { producerId: last.producerId, producerEpoch: last.producerEpoch + 1 };
    const begun = { ...identity, written: new Map(), sent: 0, pending: 0, isDoomed: false };
    const transaction: Transaction = { ...begun, control: null, isEnded: false };
    transactions.push(transaction);
    return transaction;
  }

  #write(cluster: BrokerCluster, transaction: Transaction): string {
    const value = `t${this.#values++}`;
    const key = `t-key-${this.#random.below(KEYS)}`;
    const { producerId, producerEpoch } = transaction;
    const record = { key: Buffer.from(key), value: Buffer.from(value), timestampMs: 0, headers: [] };
    const sequenced = { producerId, producerEpoch, baseSequence: transaction.sent, transactional: true };
    transaction.sent += 1;
    transaction.pending += 1;
    const frame = encodeBatch({ records: [record], ...sequenced });
    cluster
      .appendBatch(ORDERS, frame, { acks: "all", inTransaction: true })
      .then(
        ({ baseOffset }) => transaction.written.set(baseOffset, { key, value }),
        (problem: unknown) => {
          if (!(problem instanceof BrokerError)) throw problem;
          transaction.isDoomed = true;
        },
      )
      .finally(() => {
        transaction.pending -= 1;
      })
      .catch((problem: unknown) => {
        this.#problem ??= problem;
      });
    return value;
  }

  #end(cluster: BrokerCluster, transaction: Transaction, control: "commit" | "abort"): void {
    const { producerId, producerEpoch } = transaction;
    const next = producerEpoch + 1;
    const set = cluster.replicaSet(ORDERS);
    endTransaction(set, { producerId, producerEpoch: next, coordinatorEpoch: 0, control })
      .then(
        () => {
          transaction.isEnded = true;
        },
        (problem: unknown) => {
          if (!(problem instanceof BrokerError)) throw problem;
        },
      )
      .catch((problem: unknown) => {
        this.#problem ??= problem;
      });
  }
}
