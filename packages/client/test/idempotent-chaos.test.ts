/**
 * An idempotent producer beside a broker that refuses, loses answers, breaks links and takes what comes late, as chance has
 * drawn it. A failure names its seed; MINIKAFKA_SEED repeats it.
 */
import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { isFateUnknown, MiniKafkaError } from "../src/errors.ts";
import type { RecordMetadata } from "../src/producer/delivery.ts";
import { producing } from "./support/producing.ts";
import { isRequest, quiet, type SeenRequest } from "./support/scripted-peer.ts";

const HISTORIES = 150;
const STEPS = 60;

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

type Produce = SeenRequest<"produce">;

interface Sent {
  readonly value: string;
  readonly partition: number;
  outcome: RecordMetadata | MiniKafkaError | null;
}

class History {
  readonly dice: Dice;
  readonly sent: Sent[] = [];
  /** Requests of a link that broke, which the broker reads later. */
  readonly late: Produce[] = [];
  readonly world: Awaited<ReturnType<typeof producing>>;
  /** Links on which nothing is answered any more. */
  brokenLinks = 0;
  reached = new Set<string>();

  static async begin(seed: number): Promise<History> {
    const dice = new Dice(seed);
    const world = await producing({
      idempotent: true,
      batchBytes: [1, 150, 400][dice.below(3)],
      deliveryTimeoutMs: dice.below(2) === 0 ? 3_000 : 60_000,
      ...(dice.below(2) === 0 && { name: "billing" }),
    });
    return new History(dice, world);
  }

  private constructor(dice: Dice, world: Awaited<ReturnType<typeof producing>>) {
    this.dice = dice;
    this.world = world;
    world.peer.handle((request) => {
      if (isRequest(request, "produce")) this.receive(request);
      else if (isRequest(request, "metadata")) world.broker.answerMetadata(request);
      else if (isRequest(request, "init_producer")) this.init(request);
      else return false;
      return true;
    });
  }

  init(request: SeenRequest<"init_producer">): void {
    const choice = this.dice.below(8);
    if (choice === 0) request.refuse("SHUTTING_DOWN");
    else if (choice === 1) {
      const { name, producer_id, producer_epoch } = request.fields;
      this.world.broker.producers.init(name, producer_id, producer_epoch);
      this.breakLink();
    } else this.world.broker.answerInit(request);
  }

  receive(request: Produce): void {
    // What came with a broken link is read late, or never.
    if (request.link < this.brokenLinks) {
      if (this.dice.below(2) === 0) this.late.push(request);
      return;
    }
    const choice = this.dice.below(24);
    if (choice < 3) request.refuse("NOT_ENOUGH_REPLICAS");
    else if (choice === 3) this.take(request, () => request.refuse("NOT_ENOUGH_REPLICAS_AFTER_APPEND"));
    else if (choice === 4) this.take(request, () => this.breakLink());
    else if (choice === 5) {
      this.late.push(request);
      this.breakLink();
    } else if (choice === 6) this.breakLink();
    else if (choice === 7) request.refuse("INVALID_RECORD");
    else if (choice === 8) this.take(request, () => {});
    else if (choice === 9) request.refuse("RECORD_TOO_LARGE");
    else this.world.broker.answerProduce(request);
    this.reached.add(`${choice}`);
  }

  take({ fields }: Produce, then: () => void): void {
    const { topic, partition, batch_b64: frame } = fields;
    if (frame !== undefined) this.world.broker.takeFrame(topic, partition, frame);
    then();
  }

  breakLink(): void {
    const { peer } = this.world;
    this.brokenLinks = peer.linkCount;
    peer.breakLink();
  }

  async step(): Promise<void> {
    const choice = this.dice.below(10);
    if (choice < 5) this.send();
    else if (choice < 6) for (const request of this.late.splice(0)) this.take(request, () => {});
    else if (choice < 9) this.world.clock.advance(this.dice.below(400));
    else await quiet();
  }

  send(): void {
    const partition = this.dice.below(2);
    const record: Sent = { value: `${this.sent.length}`, partition, outcome: null };
    this.sent.push(record);
    this.world.producer.send({ topic: "orders", partition, value: record.value }).then(
      (metadata) => {
        record.outcome = metadata;
      },
      (error) => {
        record.outcome = error;
      },
    );
  }

  async end(): Promise<void> {
    for (let turn = 0; turn < 300 && this.sent.some(({ outcome }) => outcome === null); turn += 1) {
      await quiet();
      this.world.clock.advance(250);
    }
    for (const request of this.late.splice(0)) this.take(request, () => {});
    await this.world.client.close();
    assert.equal(this.world.clock.waiting, 0);
  }

  check(): void {
    for (const partition of [0, 1]) {
      const values = this.world.broker.values("orders", partition);
      const numbers = values.map(Number);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((one, other) => one - other),
        "in order, each once",
      );
      for (const { value, outcome } of this.sent.filter((record) => record.partition === partition)) {
        assert.notEqual(outcome, null, `${value} was never settled`);
        const offset = values.indexOf(value);
        if (!(outcome instanceof MiniKafkaError))
          assert.equal(offset, outcome?.offset, `${value} is not there`);
        else if (!isFateUnknown(outcome))
          assert.equal(offset, -1, `${value} failed with ${outcome.code}, and is there`);
      }
    }
  }
}

test("what is acknowledged is there once and in order, what failed surely is not, and what is open at most once", async () => {
  const first = Number(process.env.MINIKAFKA_SEED ?? 1);
  const reached = new Set<string>();
  const outcomes = new Map<string, number>();
  for (let seed = first; seed < first + HISTORIES; seed += 1) {
    const history = await History.begin(seed);
    try {
      for (let step = 0; step < STEPS; step += 1) await history.step();
      await history.end();
      history.check();
    } catch (problem) {
      throw new Error(`history of seed ${seed}: ${String(problem)}`, { cause: problem });
    }
    for (const each of history.reached) reached.add(each);
    for (const { outcome } of history.sent) {
      const kind = outcome instanceof MiniKafkaError ? outcome.code : "acknowledged";
      outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
    }
  }
  if (process.env.MINIKAFKA_SEED === undefined) expect(reached.size).toBeGreaterThan(10);
  expect(outcomes.get("acknowledged")).toBeGreaterThan(HISTORIES);
}, 120_000);
