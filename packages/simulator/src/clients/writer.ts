/** A producer whose records come in transactions, over several partitions. */
import type { TopicPartition } from "@minikafka/core";
import type { Chance } from "../chance.ts";
import type { SentRecord } from "../history/history.ts";
import { Client, type ClientWorld } from "./client.ts";
import {
  type SendOutcome,
  type TransactionalOptions,
  TransactionalSession,
} from "./transactional-session.ts";

export interface TransactionOrder {
  readonly sends: readonly { readonly place: TopicPartition; readonly keys: readonly (string | null)[] }[];
  /** "leave": it is begun, and nobody ends it. */
  readonly end: "commit" | "abort" | "leave";
  /** It commits what was taken also when a part was refused for certain. */
  readonly insists: boolean;
  /** It asks for another end once there is nothing to end. */
  readonly endsTwice: boolean;
  /** Between one request and the next. */
  readonly pauseMs: number;
}

export class Writer extends Client {
  readonly #session: TransactionalSession;
  #isBusy = false;

  constructor(name: string, world: ClientWorld, luck: Chance, options: TransactionalOptions) {
    super(name, world, luck);
    this.#session = new TransactionalSession(this, options);
  }

  get isIdle(): boolean {
    return !this.#isBusy;
  }

  transact(order: TransactionOrder): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#transact(order).then(() => {
      this.#isBusy = false;
    });
  }

  async #transact({ sends, end, insists, endsTwice, pauseMs }: TransactionOrder): Promise<void> {
    const session = this.#session;
    if (!(await session.ready()) || !(await session.begin())) return;
    const sent: Promise<SendOutcome>[] = [];
    for (const { place, keys } of sends) {
      const records = keys.map(
        (key): SentRecord => ({
          id: this.nextId(),
          key,
          isTombstone: false,
          copyOf: null,
        }),
      );
      sent.push(session.send(place, records));
      // Some go one after another, and some at once.
      if (pauseMs > 0) {
        await sent.at(-1);
        await this.wait(pauseMs);
      }
    }
    const outcomes = await Promise.all(sent);
    const isSent = outcomes.every((each) => each === "ok" || (insists && each === "failed"));
    if (end === "leave") session.leave();
    else if ((await session.end(isSent && end === "commit")) && endsTwice) await session.end(true);
  }
}
