/**
 * A branch of the bank: one transactional id, and accounts that only it writes. Its transfers are committed, aborted, aborted by
 * an operator, overtaken by a second instance of its own id, or given up by a client that vanishes in the middle and comes back
 * when another instance has taken its place. Whoever takes over reads what is committed, since nothing else tells it.
 */
import {
  type Client,
  connect,
  hasCode,
  isFateUnknown,
  type MiniKafkaError,
  type Producer,
  type Transaction,
} from "@minikafka/client";
import { expect, onTestFinished } from "vitest";
import { again } from "./again.ts";
import { type Entry, type Geometry, Ledger, NOTHING, OPENING_BALANCE, partitionOf } from "./bank-ledger.ts";
import { CuttingProxy } from "./cutting-proxy.ts";
import type { Dice } from "./dice.ts";

export const TOPIC = "accounts";

/** `open`: all of it is there or nothing. */
export type Outcome = "committed" | "aborted" | "open";
type Isolation = "read_committed" | "read_uncommitted";

/** Where the partitions end now, for readers of that isolation. */
export function endsOf(client: Client, { partitions }: Geometry, isolation: Isolation): Promise<number[]> {
  return Promise.all(
    Array.from({ length: partitions }, async (_, partition) => {
      const query = { topic: TOPIC, partition, at: "latest", isolation } as const;
      return (await again(() => client.admin().listOffsets(query))).offset ?? 0;
    }),
  );
}

/** Reads on into the ledger until every partition has been read up to `ends`. */
export async function readUpTo(
  client: Client,
  ledger: Ledger,
  ends: readonly number[],
  isolation: Isolation = "read_committed",
): Promise<void> {
  const consumer = client.consumer({ isolation, autoOffsetReset: "error" });
  consumer.assign(
    ends.map((_, partition) => ({ topic: TOPIC, partition, offset: ledger.positions[partition] ?? 0 })),
  );
  const isBehind = async (partition: number) =>
    (await again(() => consumer.position({ topic: TOPIC, partition }))) < (ends[partition] ?? 0);
  for (const partition of ends.keys())
    while (await isBehind(partition))
      for (const record of await again(() => consumer.poll({ timeoutMs: 1_000 }))) ledger.see(record);
  await consumer.close();
}

interface Instance {
  readonly client: Client;
  readonly proxy: CuttingProxy;
  readonly producer: Producer;
}

interface Transfer {
  readonly number: number;
  readonly after: number;
  readonly balances: ReadonlyMap<number, number>;
}

export interface BranchWorld {
  readonly geometry: Geometry;
  readonly below: Dice;
  /** Where the bank is. */
  readonly port: number;
  readonly bytesUntilCut: () => number;
  /** Of an operator, whose connection breaks as those of others. */
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
    const opened = Array.from(
      { length: world.geometry.accounts },
      (_, account) => [account, OPENING_BALANCE] as const,
    );
    await branch.#commit(tx, branch.#number(new Map(opened)));
    return branch;
  }

  /** One attempt, whatever becomes of it; `again` the next one goes on from there. */
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

  get balances(): readonly number[] {
    return this.#balances;
  }

  get last(): number {
    return this.#last;
  }

  #begin(): Promise<Transaction> {
    return this.#instance.producer.beginTransaction();
  }

  async #commit(tx: Transaction, transfer: Transfer): Promise<void> {
    await this.#send(tx, transfer);
    await tx.commit();
    this.#know(transfer, "committed");
  }

  async #abort(tx: Transaction): Promise<void> {
    const transfer = this.#draw();
    await this.#send(tx, transfer);
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
    const { client, proxy, producer } = this.#instance;
    const transfer = this.#draw();
    await this.#send(tx, transfer, below(2) === 0);
    this.outcomes.set(transfer.number, "open");
    const commit = below(2) === 0 ? tx.commit() : null;
    commit?.catch(() => {});
    this.#instance = { client, proxy, producer: this.#newProducer(client) };
    const next = await this.#begin();
    await this.#ended(transfer, commit ?? tx.commit(), commit === null);
    await producer.close().catch(() => {});
    await this.#takeOver(next);
  }

  /** The client is cut off at some instant of a transaction, and hears from the bank again when another has its place. */
  async #vanish(): Promise<void> {
    const { below, port } = this.#world;
    const { client, proxy, producer } = this.#instance;
    const tx = await this.#begin();
    const transfer = this.#draw();
    const cutAt = below(3);
    const cut = () => {
      proxy.target = null;
      proxy.cutAll();
    };
    if (cutAt === 0) cut();
    await this.#send(tx, transfer, cutAt === 1);
    this.outcomes.set(transfer.number, "open");
    if (cutAt === 1) cut();
    const commit = tx.commit();
    commit.catch(() => {});
    if (cutAt === 2) {
      // Its request may be on its way, or has arrived, or waits for the records.
      for (let turns = below(200); turns > 0; turns -= 1)
        await new Promise((resolve) => setImmediate(resolve));
      cut();
    }
    this.#instance = await this.#newInstance();
    const next = await this.#begin();
    proxy.target = port;
    const heard = this.#ended(transfer, commit, cutAt < 2)
      .then(() => producer.close().catch(() => {}))
      .then(() => client.close());
    heard.catch(() => {});
    this.#vanished.push(heard);
    await this.#takeOver(next);
  }

  /** What a first instance hears of its commit when a second one is there. */
  async #ended(transfer: Transfer, commit: Promise<void>, isSurelyAborted: boolean): Promise<void> {
    const error = await commit.then(
      () => null,
      (problem: MiniKafkaError) => problem,
    );
    const { number } = transfer;
    if (error === null) {
      expect([this.name, number, isSurelyAborted]).toEqual([this.name, number, false]);
      this.#know(transfer, "committed");
      return;
    }
    if (!hasCode(error, "PRODUCER_FENCED") || !error.fatal) throw error;
    if (!isFateUnknown(error) || isSurelyAborted) this.#know(transfer, "aborted");
  }

  /** Within a transaction of the new instance: whatever those before it did is whole, or not there. */
  async #takeOver(tx: Transaction): Promise<void> {
    const { client } = this.#instance;
    const { geometry } = this.#world;
    await readUpTo(client, this.#ledger, await endsOf(client, geometry, "read_uncommitted"));
    const book = this.#ledger.book(this.name);
    this.requireKept(book);
    this.#balances = book.balances;
    this.#last = book.last;
    await this.#commit(tx, this.#draw());
  }

  /** What is known to be committed is in the book, what is known to be aborted is not, and no half is. */
  requireKept(book: { readonly waiting: number[]; has(number: number): boolean }): void {
    expect(book.waiting, `${this.name}: transfers without their other half`).toEqual([]);
    for (const [number, outcome] of this.outcomes) {
      if (outcome === "open") continue;
      expect([this.name, number, book.has(number)]).toEqual([this.name, number, outcome === "committed"]);
    }
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
    const from = below(geometry.accounts);
    const others = Array.from({ length: geometry.accounts }, (_, account) => account).filter(
      (account) => partitionOf(account, geometry) !== partitionOf(from, geometry),
    );
    const to = others[below(others.length)] ?? 0;
    const amount = 1 + below(20);
    const balanceOf = (account: number) => this.#balances[account] ?? 0;
    return this.#number(
      new Map([
        [from, balanceOf(from) - amount],
        [to, balanceOf(to) + amount],
      ]),
    );
  }

  #number(balances: ReadonlyMap<number, number>): Transfer {
    const number = this.#next++;
    return { number, after: this.#last, balances };
  }

  /** Acknowledged or, unless `isAwaited`, perhaps still on its way. */
  async #send(tx: Transaction, transfer: Transfer, isAwaited = this.#world.below(2) === 0): Promise<void> {
    const { number, after, balances } = transfer;
    const sends = [...balances].map(([account, balance]) => {
      const entry: Entry = {
        branch: this.name,
        number,
        after,
        accounts: [...balances.keys()],
        account,
        balance,
      };
      const partition = partitionOf(account, this.#world.geometry);
      return tx.send({
        topic: TOPIC,
        partition,
        key: `${this.name}/${account}`,
        value: JSON.stringify(entry),
      });
    });
    for (const send of sends) send.catch(() => {});
    if (isAwaited) await Promise.all(sends);
  }

  #newProducer(client: Client): Producer {
    return client.producer({ transactionalId: this.name });
  }

  async #newInstance(): Promise<Instance> {
    const proxy = await CuttingProxy.open(this.#world.bytesUntilCut);
    proxy.target = this.#world.port;
    const options = { requestTimeoutMs: 5_000, attemptsMax: 100 };
    const client = await connect({ port: proxy.port }, options);
    onTestFinished(() => client.close().catch(() => {}));
    return { client, proxy, producer: this.#newProducer(client) };
  }
}
