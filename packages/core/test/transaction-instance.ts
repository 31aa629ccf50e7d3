/**
 * An instance of a transactional id in a history: it asks for what a producer may ask for, gives up waiting, asks again, and goes on
 * when it should not any more.
 */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { Random } from "../src/env/random.ts";
import { BrokerError } from "../src/errors.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import { partitionName, type TopicPartition } from "../src/replica/topic-partition.ts";
import type { Fate, ModelTransaction, TransactionModel } from "./transaction-model.ts";
import { transactionalBatch } from "./transactional-producer.ts";

/** Refused before anything has happened. */
const SURE = [
  "PRODUCER_FENCED",
  "UNKNOWN_PRODUCER_ID",
  "UNKNOWN_TRANSACTIONAL_ID",
  "TRANSACTION_ABORTED",
  "INVALID_TRANSACTION_STATE",
  "CONCURRENT_TRANSACTIONS",
];
const SURE_OF_WRITES = [...SURE, "OUT_OF_ORDER_SEQUENCE", "NOT_ENOUGH_REPLICAS"];
/** The instance has to begin anew. */
const FATAL = [
  "PRODUCER_FENCED",
  "UNKNOWN_PRODUCER_ID",
  "UNKNOWN_TRANSACTIONAL_ID",
  "INVALID_TRANSACTION_STATE",
];
export const KEYS = ["k0", "k1", "k2"] as const;

/** What all instances of a history share. */
export interface InstanceWorld {
  readonly model: TransactionModel;
  readonly random: Random;
  readonly places: readonly TopicPartition[];
  readonly timeoutMs: number;
  readonly cluster: () => BrokerCluster;
  readonly nowMs: () => number;
  readonly say: (what: string) => void;
  /** Something is wrong where nobody waits for it. */
  readonly broken: (problem: unknown) => void;
  /** Every identity that was given, and to whom. */
  readonly given: Map<string, TransactionInstance>;
}

interface Reactions<Result> {
  readonly answered: (result: Result, isAwaited: boolean) => void;
  readonly refused: (code: string, isAwaited: boolean) => void;
}

export class TransactionInstance {
  readonly transactionalId: string;
  readonly name: string;
  readonly #world: InstanceWorld;
  #identity: ProducerIdentity | null = null;
  #transaction: ModelTransaction | null = null;
  /** It knows the end that it has asked for last, and nothing of its answer. */
  #ending: Fate | null = null;
  #waiting: symbol | null = null;
  readonly #sequences = new Map<string, number>();

  constructor(name: string, transactionalId: string, world: InstanceWorld) {
    this.name = name;
    this.transactionalId = transactionalId;
    this.#world = world;
  }

  get isAtWork(): boolean {
    return this.#waiting !== null;
  }

  /** It waits no longer; what it asked for may happen all the same. */
  giveUp(): void {
    this.#waiting = null;
  }

  act(): void {
    const { random } = this.#world;
    if (this.#waiting !== null) {
      if (random.below(4) === 0) this.giveUp();
      return;
    }
    const choice = random.below(100);
    if (this.#identity === null) {
      // Who was fenced is in no hurry to fence the other.
      if (choice < 20) this.#init(false);
    } else if (choice < 1) this.#init(random.below(2) === 0);
    else if (this.#ending !== null) this.#end(this.#ending);
    else if (this.#transaction === null) {
      if (choice < 4) this.#init(true);
      else this.#begin();
    } else if (choice < 45) this.#send();
    else if (choice < 72) this.#sendNumber();
    else this.#end(choice < 90 ? "commit" : "abort");
  }

  /** Something of a transaction that may be over. */
  actLate(): void {
    const transactions = [...this.#world.model.transactions.values()].filter(
      ({ transactionalId }) => transactionalId === this.transactionalId,
    );
    const transaction = transactions[this.#world.random.below(transactions.length + 1)];
    if (transaction === undefined) return;
    const choice = this.#world.random.below(4);
    if (choice === 0) this.#send(transaction);
    else if (choice === 1) this.#sendNumber(transaction);
    else if (transaction.overAt !== null) this.#end(choice === 2 ? "commit" : "abort", transaction);
  }

  #init(keeps: boolean): void {
    const { model, cluster, timeoutMs } = this.#world;
    const current = keeps && this.#identity !== null ? this.#identity : undefined;
    const { transactionalId } = this;
    model.threaten(transactionalId);
    this.#ask(
      current === undefined ? "init" : `init with ${nameOf(current)}`,
      cluster().transactions.init({ transactionalId, timeoutMs, current }),
      {
        answered: (identity, isAwaited) => {
          model.initialized(transactionalId, nameOf(identity));
          this.#note(identity, isAwaited);
          if (isAwaited) this.#adopt(identity);
        },
        refused: (code, isAwaited) => {
          if (isAwaited && FATAL.includes(code)) this.#identity = null;
        },
      },
    );
  }

  #begin(): void {
    const identity = this.#require();
    const { model, cluster, nowMs } = this.#world;
    const transaction = model.begin(nameOf(identity), this.transactionalId, nowMs());
    const wasOver = transaction.overAt !== null;
    this.#transaction = transaction;
    this.#ask(`begin ${transaction.name}`, cluster().transactions.begin(this.#caller(identity)), {
      answered: () => assert.ok(!wasOver, `${transaction.name} was over, and began`),
      refused: (code, isAwaited) => this.#react(code, isAwaited, transaction),
    });
  }

  #send(late: ModelTransaction | null = null): void {
    const { model, random, places, cluster } = this.#world;
    const transaction = late ?? this.#transaction;
    const place = places[random.below(places.length)];
    if (transaction === null || place === undefined) return;
    const sent = model.send(partitionName(place), KEYS[random.below(KEYS.length)] ?? "k0", transaction);
    const wasOver = transaction.overAt !== null;
    const sequence = late === null ? (this.#sequences.get(sent.place) ?? 0) : random.below(3);
    if (late === null) this.#sequences.set(sent.place, sequence + 1);
    const batch = transactionalBatch(identityOf(transaction), sequence, [`${sent.key}=${sent.value}`]);
    const { transactionalId } = this;
    this.#ask(
      `send ${sent.value} to ${sent.place}`,
      cluster().transactions.append(place, batch, { transactionalId }),
      {
        answered: ({ baseOffset, duplicate }) => {
          assert.ok(!wasOver, `${transaction.name} was over, and ${sent.value} was taken`);
          // A late one may have the sequence of another.
          if (!duplicate) sent.offset = baseOffset;
        },
        refused: (code, isAwaited) => {
          if (SURE_OF_WRITES.includes(code)) sent.isRefused = true;
          if (late === null) this.#react(code, isAwaited, transaction);
        },
      },
    );
  }

  #sendNumber(late: ModelTransaction | null = null): void {
    const { model, random, cluster } = this.#world;
    const transaction = late ?? this.#transaction;
    if (transaction === null) return;
    const partition = random.below(4) === 0 ? 1 : 0;
    const sent = model.sendNumber(`a:${partition}`, transaction);
    const wasOver = transaction.overAt !== null;
    const offsets = [{ topic: "a", partition, offset: sent.number, metadata: null }];
    const request = { ...this.#caller(identityOf(transaction)), groupId: "g", member: null, offsets };
    this.#ask(
      `send number ${sent.number} of ${transaction.name}`,
      cluster().transactions.sendOffsets(request),
      {
        answered: () => {
          assert.ok(!wasOver, `${transaction.name} was over, and ${sent.number} was taken`);
          sent.takenAt = model.tick();
        },
        refused: (code, isAwaited) => {
          if (SURE_OF_WRITES.includes(code)) sent.isRefused = true;
          if (late === null) this.#react(code, isAwaited, transaction);
        },
      },
    );
  }

  #end(fate: Fate, late: ModelTransaction | null = null): void {
    const { model, cluster } = this.#world;
    const transaction = late ?? this.#transaction;
    if (transaction === null) return;
    const commit = fate === "commit";
    if (commit) transaction.commits += 1;
    else transaction.mayBeAborted = true;
    if (late === null) this.#ending = fate;
    const caller = this.#caller(identityOf(transaction));
    this.#ask(`${fate} ${transaction.name}`, cluster().transactions.end({ ...caller, commit }), {
      answered: (identity, isAwaited) => {
        model.learn(transaction, fate, `its ${fate} was answered`);
        transaction.overAt ??= model.tick();
        this.#note(identity, isAwaited && late === null);
        if (isAwaited && late === null) this.#adopt(identity);
      },
      refused: (code, isAwaited) => {
        if (commit && SURE.includes(code)) transaction.commits -= 1;
        if (late === null) this.#react(code, isAwaited, transaction);
      },
    });
  }

  #react(code: string, isAwaited: boolean, transaction: ModelTransaction): void {
    const { model } = this.#world;
    if (code === "TRANSACTION_ABORTED") {
      model.learn(transaction, "abort", code);
      transaction.overAt ??= model.tick();
    }
    if (!isAwaited) return;
    if (code === "TRANSACTION_ABORTED") this.#forget();
    if (FATAL.includes(code)) {
      this.#forget();
      this.#identity = null;
    }
  }

  #note(identity: ProducerIdentity, isAwaited: boolean): void {
    const { given } = this.#world;
    const name = nameOf(identity);
    if (!isAwaited) return;
    const owner = given.get(name) ?? this;
    given.set(name, owner);
    assert.ok(owner === this, `${name} was given to ${owner.name} and to ${this.name}`);
  }

  #adopt(identity: ProducerIdentity): void {
    this.#identity = identity;
    this.#forget();
  }

  #forget(): void {
    this.#transaction = null;
    this.#ending = null;
    this.#sequences.clear();
  }

  #require(): ProducerIdentity {
    assert.ok(this.#identity !== null);
    return this.#identity;
  }

  #caller(identity: ProducerIdentity) {
    return { transactionalId: this.transactionalId, ...identity };
  }

  #ask<Result>(what: string, work: Promise<Result>, { answered, refused }: Reactions<Result>): void {
    const { say, broken } = this.#world;
    const request = Symbol(what);
    say(`${this.name} ${this.transactionalId}: ${what}`);
    if (this.#waiting === null) this.#waiting = request;
    const isAwaited = () => this.#waiting === request;
    work
      .then(
        (result) => {
          say(`  answered: ${what} ${JSON.stringify(result)}`);
          answered(result, isAwaited());
        },
        (problem: unknown) => {
          if (!(problem instanceof BrokerError)) throw problem;
          say(`  ${problem.code}: ${what}`);
          refused(problem.code, isAwaited());
        },
      )
      .catch(broken)
      .finally(() => {
        if (isAwaited()) this.#waiting = null;
      });
  }
}

function nameOf({ producerId, producerEpoch }: ProducerIdentity): string {
  return `${producerId}:${producerEpoch}`;
}

function identityOf({ name }: ModelTransaction): ProducerIdentity {
  const [producerId, producerEpoch] = name.split(":").map(Number);
  return { producerId: producerId ?? -1, producerEpoch: producerEpoch ?? -1 };
}
