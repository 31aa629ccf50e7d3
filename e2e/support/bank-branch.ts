/**
 * A branch of the bank: one transactional id, and accounts that only it writes. Its transfers are committed, aborted, aborted by
 * an operator, overtaken by a second instance of its own id, or given up by a client that vanishes in the middle and comes back
 * when another instance has taken its place. Whoever takes over reads what is committed, since nothing else tells it.
 */
import {
  type Client,
  hasCode,
  isFateUnknown,
  type MiniKafkaError,
  type Producer,
  type Transaction,
} from "@minikafka/client";
import { expect } from "vitest";
import { again } from "./again.ts";
import { type Geometry, Ledger, NOTHING } from "./bank-ledger.ts";
import { endsOf, readUpTo } from "./bank-reading.ts";
import { drawBalances, openingBalances, sendTransfer, type Transfer } from "./bank-transfer.ts";
import { CutClient, drawCutAt, someTurns } from "./cut-client.ts";
import type { Dice } from "./dice.ts";

/** `open`: all of it is there or nothing. */
export type Outcome = "committed" | "aborted" | "open";

interface Instance {
  readonly link: CutClient;
  readonly producer: Producer;
}

export interface BranchWorld {
  readonly geometry: Geometry;
  readonly below: Dice;
  /** Where the bank is. */
  readonly port: number;
  readonly bytesUntilCut: () => number;
  /** Of an operator. */
  readonly office: Client;
}

export class Branch {
  readonly name: string;
  readonly outcomes = new Map<number, Outcome>();
  readonly #world: BranchWorld;
  readonly #ledger: Ledger;
  readonly #vanished: Promise<void>[] = [];
  #instance!: Instance;
  #balances: number[] = [];
  #last = NOTHING;
  #next = 0;

  private constructor(name: string, world: BranchWorld) {
    this.name = name;
    this.#world = world;
    this.#ledger = new Ledger(world.geometry);
  }

  static async open(name: string, world: BranchWorld): Promise<Branch> {
    const branch = new Branch(name, world);
    branch.#instance = await branch.#newInstance();
    const tx = await branch.#instance.producer.beginTransaction();
    await branch.#commit(tx, branch.#number(openingBalances(world.geometry)));
    // So that there is something to be hidden in any case.
    await branch.#abort(await branch.#begin(), true);
    return branch;
  }

  get balances(): readonly number[] {
    return this.#balances;
  }

  get last(): number {
    return this.#last;
  }

  /** One attempt, whatever becomes of it; the next one goes on from there. */
  async transfer(): Promise<void> {
    const drawn = this.#world.below(20);
    if (drawn < 11) return this.#commit(await this.#begin(), this.#draw());
    if (drawn < 13) return this.#abort(await this.#begin());
    if (drawn < 15) return this.#throw();
    if (drawn < 16) return this.#abortByOperator(await this.#begin());
    if (drawn < 18) return this.#overtake(await this.#begin());
    return this.#vanish();
  }

  /** Waits for those who had vanished, who must have heard what became of them. */
  async close(): Promise<void> {
    await Promise.all(this.#vanished);
    await this.#instance.producer.close();
  }

  /** What is known to be committed is in the book, what is known to be aborted is not, and no half is. */
  requireKept(book: { readonly waiting: number[]; has(number: number): boolean }): void {
    expect(book.waiting, `${this.name}: transfers without their other half`).toEqual([]);
    for (const [number, outcome] of this.outcomes) {
      if (outcome === "open") continue;
      expect([this.name, number, book.has(number)]).toEqual([this.name, number, outcome === "committed"]);
    }
  }

  async #commit(tx: Transaction, transfer: Transfer): Promise<void> {
    await this.#send(tx, transfer);
    await tx.commit();
    this.#know(transfer, "committed");
  }

  async #abort(tx: Transaction, isAwaited?: boolean): Promise<void> {
    const transfer = this.#draw();
    await this.#send(tx, transfer, isAwaited);
    await tx.abort();
    this.#know(transfer, "aborted");
  }

  async #throw(): Promise<void> {
    const transfer = this.#draw();
    const reason = new Error("not this one");
    const work = async (tx: Transaction) => {
      await this.#send(tx, transfer);
      throw reason;
    };
    await expect(this.#instance.producer.transaction(work)).rejects.toBe(reason);
    this.#know(transfer, "aborted");
  }

  async #abortByOperator(tx: Transaction): Promise<void> {
    const transfer = this.#draw();
    await this.#send(tx, transfer, true);
    await again(() => this.#world.office.admin().abortTransaction(this.name));
    await expect(tx.commit()).rejects.toMatchObject({ code: "TRANSACTION_ABORTED", abortable: true });
    await tx.abort();
    this.#know(transfer, "aborted");
  }

  /** A second instance, in the middle of a transaction of the first, or at the same time as its commit. */
  async #overtake(tx: Transaction): Promise<void> {
    const { below } = this.#world;
    const { link, producer } = this.#instance;
    const transfer = this.#draw();
    await this.#send(tx, transfer);
    this.outcomes.set(transfer.number, "open");
    const commit = below(2) === 0 ? tx.commit() : null;
    commit?.catch(() => {});
    this.#instance = { link, producer: this.#newProducer(link) };
    const next = await this.#begin();
    await this.#hear(transfer, commit ?? tx.commit(), commit === null);
    await producer.close().catch(() => {});
    await this.#takeOver(next);
  }

  /** The client is cut off at some instant of a transaction, and hears from the bank again when another has its place. */
  async #vanish(): Promise<void> {
    const { below } = this.#world;
    const { link, producer } = this.#instance;
    const tx = await this.#begin();
    const transfer = this.#draw();
    const cutAt = drawCutAt(below);
    if (cutAt === "before") link.vanish();
    await this.#send(tx, transfer, cutAt === "sent");
    this.outcomes.set(transfer.number, "open");
    if (cutAt === "sent") link.vanish();
    const commit = tx.commit();
    commit.catch(() => {});
    if (cutAt === "at random") {
      await someTurns(below);
      link.vanish();
    }
    this.#instance = await this.#newInstance();
    const next = await this.#begin();
    link.comeBack();
    const heard = this.#hear(transfer, commit, cutAt !== "at random")
      .then(() => producer.close().catch(() => {}))
      .then(() => link.client.close());
    heard.catch(() => {});
    this.#vanished.push(heard);
    await this.#takeOver(next);
  }

  /** What a first instance hears of its commit when a second one is there. */
  async #hear(transfer: Transfer, commit: Promise<void>, isSurelyAborted: boolean): Promise<void> {
    const error = await commit.then(
      () => null,
      (problem: MiniKafkaError) => problem,
    );
    if (error === null) {
      expect([this.name, transfer.number, isSurelyAborted]).toEqual([this.name, transfer.number, false]);
      this.#know(transfer, "committed");
      return;
    }
    if (!hasCode(error, "PRODUCER_FENCED") || !error.fatal) throw error;
    if (!isFateUnknown(error) || isSurelyAborted) this.#know(transfer, "aborted");
  }

  /** Within a transaction of the new instance: whatever those before it did is whole, or not there. */
  async #takeOver(tx: Transaction): Promise<void> {
    const { client } = this.#instance.link;
    const { geometry } = this.#world;
    await readUpTo(client, this.#ledger, await endsOf(client, geometry, "read_uncommitted"));
    const book = this.#ledger.book(this.name);
    this.requireKept(book);
    this.#balances = book.balances;
    this.#last = book.last;
    await this.#commit(tx, this.#draw());
  }

  #begin(): Promise<Transaction> {
    return this.#instance.producer.beginTransaction();
  }

  #know({ number, balances }: Transfer, outcome: Outcome): void {
    this.outcomes.set(number, outcome);
    // One that was overtaken may say so after the next has begun.
    if (outcome !== "committed" || number < this.#last) return;
    this.#last = number;
    for (const [account, balance] of balances) this.#balances[account] = balance;
  }

  #draw(): Transfer {
    const { below, geometry } = this.#world;
    return this.#number(drawBalances(below, geometry, this.#balances));
  }

  #number(balances: ReadonlyMap<number, number>): Transfer {
    const number = this.#next++;
    return { branch: this.name, number, after: this.#last, balances };
  }

  /** Acknowledged or, unless `isAwaited`, perhaps still on its way. */
  async #send(tx: Transaction, transfer: Transfer, isAwaited = this.#world.below(2) === 0): Promise<void> {
    const sends = sendTransfer(tx, transfer, this.#world.geometry);
    if (isAwaited) await Promise.all(sends);
  }

  /** Of some each record is a batch of its own, of others all of a partition are one. */
  #newProducer({ client }: CutClient): Producer {
    const batches = this.#world.below(2) === 0 ? { batchBytes: 1 } : {};
    return client.producer({ transactionalId: this.name, ...batches });
  }

  async #newInstance(): Promise<Instance> {
    const link = await CutClient.open(this.#world.port, this.#world.bytesUntilCut);
    return { link, producer: this.#newProducer(link) };
  }
}
