/**
 * Transactions beside a broker that refuses, loses answers, breaks links, takes what comes late and aborts by its own timeout, as
 * chance has drawn it; now and then a newer instance takes over. A failure names its seed; MINIKAFKA_SEED repeats it.
 */
import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { MiniKafkaError } from "../src/errors.ts";
import type { Producer } from "../src/producer/producer.ts";
import type { Transaction } from "../src/producer/transaction/transaction.ts";
import { isRequest, quiet, type SeenRequest } from "./support/scripted-peer.ts";
import { ID, transacting } from "./support/transacting.ts";

const HISTORIES = Number(process.env.MINIKAFKA_HISTORIES ?? 100);
const TRANSACTIONS = 8;

/** Numbers that look random and depend on a seed alone. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
}

interface Attempt {
  readonly values: [string[], string[]];
  readonly offset: number;
  /** What the caller was told last. */
  told: "committed" | "aborted" | "unknown" | "fenced";
}

class History {
  readonly dice: Dice;
  readonly world: Awaited<ReturnType<typeof transacting>>;
  readonly attempts: Attempt[] = [];
  readonly late: SeenRequest[] = [];
  readonly reached = new Set<string>();
  producer: Producer;
  /** Links on which nothing is answered any more. */
  brokenLinks = 0;
  isCalm = false;

  static async begin(seed: number): Promise<History> {
    const dice = new Dice(seed);
    const deliveryTimeoutMs = [400, 3_000, 60_000][dice.below(3)];
    return new History(dice, await transacting({ batchBytes: [1, 150][dice.below(2)], deliveryTimeoutMs }));
  }

  private constructor(dice: Dice, world: Awaited<ReturnType<typeof transacting>>) {
    this.dice = dice;
    this.world = world;
    this.producer = world.producer;
    world.peer.handle((request) => {
      const isOfTransactions = world.broker.isOfTransactions(request) || isRequest(request, "produce");
      if (isOfTransactions && !this.isCalm) this.receive(request);
      else world.broker.answerByItself(request);
      return true;
    });
  }

  receive(request: SeenRequest): void {
    // What came with a broken link is read late, or never.
    if (request.link < this.brokenLinks) {
      if (this.dice.below(2) === 0) this.late.push(request);
      return;
    }
    const choice = this.dice.below(26);
    if (choice === 0) request.refuse("NOT_ENOUGH_REPLICAS");
    else if (choice === 1)
      request.refuse(isRequest(request, "produce") ? "SHUTTING_DOWN" : "CONCURRENT_TRANSACTIONS");
    else if (choice === 2) this.breakLink();
    else if (choice === 3) {
      this.breakLink();
      this.world.broker.answerByItself(request);
    } else if (choice === 4) {
      this.late.push(request);
      this.breakLink();
    } else if (choice === 5 && isRequest(request, "produce")) request.refuse("INVALID_RECORD");
    else if (choice === 6) {
      this.world.transactions.timeOut(ID);
      this.world.broker.answerByItself(request);
    } else this.world.broker.answerByItself(request);
    this.reached.add(`${request.fields.operation} ${choice < 7 ? choice : "as asked"}`);
  }

  breakLink(): void {
    this.brokenLinks = this.world.peer.linkCount;
    this.world.peer.breakLink();
  }

  readLate(): void {
    for (const request of this.late.splice(0)) this.world.broker.answerByItself(request);
  }

  /** Until `promise` is settled, time passes. */
  async during<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    promise.then(over, over);
    for (let turn = 0; !isOver; turn += 1) {
      assert.ok(turn < 2_000, "it never ends");
      await quiet();
      if (!isOver) this.world.clock.advance(100);
      if (this.dice.below(10) === 0) this.readLate();
    }
    return promise;
  }

  async attempt(number: number): Promise<void> {
    const values: Attempt["values"] = [[], []];
    for (let count = this.dice.below(4); count > 0; count -= 1)
      values[this.dice.below(2) as 0 | 1].push(`${number}.${count}`);
    const made: Attempt = { values, offset: number + 1, told: "aborted" };
    this.attempts.push(made);
    try {
      const tx = await this.during(this.producer.beginTransaction());
      values.forEach((some, partition) => {
        for (const value of some) void tx.send({ topic: "orders", partition, value });
      });
      const offsets = [{ topic: "orders", partition: 0, offset: made.offset }];
      void tx.sendOffsets({ groupId: "g", offsets }).catch(() => {});
      if (this.dice.below(4) === 0) await this.during(quiet());
      if (this.dice.below(12) === 0) this.producer = this.world.another();
      made.told = "unknown";
      await this.end(tx, made);
    } catch (error) {
      if (!(error instanceof MiniKafkaError)) throw error;
      if (error.fatal) this.producer = this.world.another();
      if (error.fatal && made.told === "unknown") made.told = "fenced";
    }
  }

  async end(tx: Transaction, made: Attempt): Promise<void> {
    if (this.dice.below(4) === 0) {
      await this.during(tx.abort());
      made.told = "aborted";
      return;
    }
    for (;;) {
      try {
        await this.during(tx.commit());
        made.told = "committed";
        return;
      } catch (error) {
        if (!(error instanceof MiniKafkaError)) throw error;
        if (error.abortable) {
          made.told = "aborted";
          if (!tx.isOver) await this.during(tx.abort());
          return;
        }
        if (!error.retriable) throw error;
        // Asked again, or left to the next transaction.
        if (this.dice.below(2) === 0) return;
      }
    }
  }

  async finish(): Promise<void> {
    this.isCalm = true;
    this.readLate();
    await this.during(this.world.another().transaction(() => {}));
    this.readLate();
  }

  async check(): Promise<void> {
    const seen = [await this.read(0), await this.read(1)] as const;
    for (const made of this.attempts) {
      const there = made.values.map((some, partition) =>
        some.filter((value) => seen[partition as 0 | 1].includes(value)),
      );
      const isWhole = String(there) === String(made.values);
      const isNone = there.flat().length === 0;
      const what = `transaction ${made.offset - 1}, ${made.told}, shows ${there} of ${made.values}`;
      assert.ok(
        made.told === "committed" ? isWhole : made.told === "aborted" ? isNone : isWhole || isNone,
        what,
      );
    }
    for (const values of seen) {
      const inOrder = this.attempts.flatMap(({ values: [left, right] }) => [...left, ...right]);
      assert.deepEqual(
        values,
        inOrder.filter((value) => values.includes(value)),
        "in order, each once",
      );
    }
    this.checkOffset();
  }

  /** The offset that the group has is of the last transaction that is committed. */
  checkOffset(): void {
    const stored = this.world.broker.groups.committed("g", "orders/0") ?? 0;
    const surely = this.attempts.findLast(({ told }) => told === "committed")?.offset ?? 0;
    const owner = this.attempts.find(({ offset }) => offset === stored);
    assert.ok(stored >= surely, `the group's offset is ${stored}, and ${surely} was committed`);
    assert.notEqual(owner?.told, "aborted", `the group's offset ${stored} is of an aborted transaction`);
  }

  async read(partition: number): Promise<string[]> {
    const { values, lag } = await this.during(this.world.committed("orders", partition));
    assert.equal(lag, 0);
    return values.map(String);
  }
}

test("whatever breaks, what is committed is there whole and once, what is aborted is not, and nothing is torn", async () => {
  const first = Number(process.env.MINIKAFKA_SEED ?? 1);
  const reached = new Set<string>();
  const told = new Map<string, number>();
  for (let seed = first; seed < first + HISTORIES; seed += 1) {
    const history = await History.begin(seed);
    try {
      for (let number = 0; number < TRANSACTIONS; number += 1) await history.attempt(number);
      await history.finish();
      await history.check();
      await history.during(history.world.client.close());
      assert.equal(history.world.clock.waiting, 0);
    } catch (problem) {
      throw new Error(`history of seed ${seed}: ${String(problem)}`, { cause: problem });
    }
    for (const each of history.reached) reached.add(each);
    for (const made of history.attempts) told.set(made.told, (told.get(made.told) ?? 0) + 1);
  }
  if (process.env.MINIKAFKA_SEED === undefined) expect(reached.size).toBeGreaterThan(30);
  expect(told.get("committed")).toBeGreaterThan(HISTORIES);
}, 120_000);
