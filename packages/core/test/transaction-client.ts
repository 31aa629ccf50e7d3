/** One instance of a transactional id in a drawn history: what it asks for, and what it makes of the answers. */
import assert from "node:assert/strict";
import { ERRORS } from "@minikafka/protocol/errors";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { BrokerError } from "../src/errors.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import { partitionName, type TopicPartition } from "../src/replica/topic-partition.ts";
import type { TransactionWitness, WitnessedTransaction } from "./transaction-witness.ts";
import { transactionalBatch } from "./transactional-producer.ts";

type Answer = { readonly value: unknown } | { readonly problem: unknown };

interface Asked {
  readonly what: string;
  answer: Answer | null;
  /** What the answer is for. */
  readonly take: (answer: Answer) => void;
}

export class TransactionClient {
  readonly transactionalId: string;
  readonly group: string;
  readonly #witness: TransactionWitness;
  readonly #clusterOf: () => BrokerCluster;
  #identity: ProducerIdentity | null = null;
  /** "lost": it has to ask who it is. */
  #state: "lost" | "idle" | "open" | "committing" | "aborting" = "lost";
  #transaction: WitnessedTransaction | null = null;
  #isDoomed = false;
  #sequences = new Map<string, number>();
  #sent = 0;
  #asked: Asked | null = null;

  constructor(transactionalId: string, witness: TransactionWitness, clusterOf: () => BrokerCluster) {
    this.transactionalId = transactionalId;
    this.group = `of-${transactionalId}`;
    this.#witness = witness;
    this.#clusterOf = clusterOf;
  }

  get isWaiting(): boolean {
    return this.#asked !== null;
  }

  /** The connection is gone, and nobody will hear the answer. It goes on as the same instance, or as a new one. */
  lose(isSame: boolean): void {
    this.#asked = null;
    this.#state = "lost";
    this.#transaction = null;
    if (!isSame) this.#identity = null;
  }

  /** The next thing to ask for, as `chance` (0 to 99) says. Returns what it was. */
  ask(chance: number, place: TopicPartition): string {
    const { transactions } = this.#clusterOf();
    const { transactionalId } = this;
    if (this.#state === "lost" || this.#identity === null) {
      const current = this.#identity ?? undefined;
      return this.#send("init", transactions.init({ transactionalId, current }), (answer) =>
        this.#onInit(answer),
      );
    }
    const caller = { transactionalId, ...this.#identity };
    if (this.#state === "idle")
      return this.#send("begin", transactions.begin(caller), (answer) => this.#onBegin(answer));
    if (this.#state === "open" && chance < 60 && !this.#isDoomed)
      return this.#sendRecords(place, 1 + (chance % 3));
    if (this.#state === "open" && chance < 70 && !this.#isDoomed) return this.#sendOffset(caller, place);
    const isCommit =
      this.#state === "committing" || (this.#state === "open" && chance < 90 && !this.#isDoomed);
    this.#state = isCommit ? "committing" : "aborting";
    const transaction = this.#openTransaction();
    if (isCommit && transaction.fate === "open") transaction.fate = "asked";
    const ending = transactions.end({ ...caller, commit: isCommit });
    return this.#send(isCommit ? "commit" : "abort", ending, (answer) => this.#onEnd(answer, isCommit));
  }

  /** Takes the answer, if it has come. */
  receive(): void {
    const asked = this.#asked;
    if (asked === null || asked.answer === null) return;
    this.#asked = null;
    asked.take(asked.answer);
  }

  #sendRecords(place: TopicPartition, count: number): string {
    assert.ok(this.#identity !== null);
    const { transactionalId } = this;
    const name = partitionName(place);
    const { number, sent } = this.#openTransaction();
    const values = Array.from({ length: count }, () => `${number}.${this.#sent++}`);
    const baseSequence = this.#sequences.get(name) ?? 0;
    this.#sequences.set(name, baseSequence + count);
    const frame = transactionalBatch(this.#identity, baseSequence, values);
    const appending = this.#clusterOf().transactions.append(place, frame, { transactionalId });
    return this.#send(`send ${values} to ${name}`, appending, (answer) => {
      if ("value" in answer) sent.set(name, [...(sent.get(name) ?? []), ...values]);
      else this.#onFailedWrite(answer.problem);
    });
  }

  #sendOffset(
    caller: ProducerIdentity & { readonly transactionalId: string },
    place: TopicPartition,
  ): string {
    const transaction = this.#openTransaction();
    const offsets = [{ ...place, topic: "t", partition: 0, offset: transaction.number, metadata: null }];
    const request = { ...caller, groupId: this.group, member: null, offsets };
    return this.#send("offset", this.#clusterOf().transactions.sendOffsets(request), (answer) => {
      if ("value" in answer) transaction.hasOffset = true;
      else this.#onFailedWrite(answer.problem);
    });
  }

  #onInit(answer: Answer): void {
    if ("value" in answer) {
      this.#identity = answer.value as ProducerIdentity;
      this.#state = "idle";
      this.#sequences = new Map();
    } else if (codeOf(answer.problem) === "PRODUCER_FENCED") this.#identity = null;
    else requireRetriable(answer.problem);
  }

  #onBegin(answer: Answer): void {
    if ("value" in answer) {
      this.#transaction = this.#witness.begin(this.group);
      this.#isDoomed = false;
      this.#state = "open";
      return;
    }
    // It may be open all the same: who asks for its identity anew has that aborted.
    this.#state = "lost";
    const code = codeOf(answer.problem);
    if (code === "PRODUCER_FENCED") this.#identity = null;
    else if (code !== "TRANSACTION_ABORTED") requireRetriable(answer.problem);
  }

  #onFailedWrite(problem: unknown): void {
    const code = codeOf(problem);
    this.#isDoomed = true;
    if (code === "PRODUCER_FENCED") this.lose(false);
    else if (code === "TRANSACTION_ABORTED") this.lose(true);
    else requireRetriable(problem);
  }

  #onEnd(answer: Answer, isCommit: boolean): void {
    const transaction = this.#openTransaction();
    if ("value" in answer) {
      transaction.fate = isCommit ? "committed" : "aborted";
      this.#identity = answer.value as ProducerIdentity;
      this.#state = "idle";
      this.#sequences = new Map();
      return;
    }
    const code = codeOf(answer.problem);
    if (code === "TRANSACTION_ABORTED") {
      transaction.fate = "aborted";
      this.lose(true);
    } else if (code === "PRODUCER_FENCED") this.lose(false);
    else requireRetriable(answer.problem);
  }

  #openTransaction(): WitnessedTransaction {
    assert.ok(this.#transaction !== null, "no transaction is open");
    return this.#transaction;
  }

  #send(what: string, work: Promise<unknown>, take: (answer: Answer) => void): string {
    const asked: Asked = { what, answer: null, take };
    this.#asked = asked;
    work.then(
      (value) => {
        asked.answer = { value };
      },
      (problem: unknown) => {
        asked.answer = { problem };
      },
    );
    return `${this.transactionalId}: ${what}`;
  }
}

function codeOf(problem: unknown): string {
  if (problem instanceof BrokerError) return problem.code;
  throw problem;
}

function requireRetriable(problem: unknown): void {
  const code = codeOf(problem);
  const isRetriable = (ERRORS as { readonly [code: string]: { readonly retriable: boolean } })[code]
    ?.retriable;
  // A closed cluster, and a broker that is stopped in the middle of it, are asked again as well.
  if (isRetriable !== true && code !== "SHUTTING_DOWN" && code !== "STORAGE_ERROR") throw problem;
}
