/** A consumer whose output is written in the transaction that commits its input's offsets: each record in once is out once (KIP-447). */
import type { TopicPartition } from "@minikafka/core";
import type { Chance } from "../chance.ts";
import type { SentRecord } from "../history/history.ts";
import { Client, type ClientWorld } from "./client.ts";
import { findPositions, readOwned } from "./group-reading.ts";
import { Membership, type MembershipOptions, type Owned } from "./membership.ts";
import { type TransactionalOptions, TransactionalSession } from "./transactional-session.ts";

export interface CopyOrder {
  readonly end: "commit" | "abort" | "leave";
  readonly bytesMax: number;
  readonly pauseMs: number;
}

interface Batch {
  readonly read: readonly [Owned, SentRecord[]][];
  readonly member: { readonly memberId: string; readonly generation: number };
}

export class Copier extends Client {
  readonly membership: Membership;
  readonly #session: TransactionalSession;
  readonly #output: string;
  #isBusy = false;

  constructor(
    name: string,
    world: ClientWorld,
    luck: Chance,
    options: { membership: MembershipOptions; transactions: TransactionalOptions; output: string },
  ) {
    super(name, world, luck);
    this.membership = new Membership(this, options.membership);
    this.#session = new TransactionalSession(this, options.transactions);
    this.#output = options.output;
  }

  get isIdle(): boolean {
    return !this.#isBusy;
  }

  copy(order: CopyOrder): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#copy(order).then(() => {
      this.#isBusy = false;
    });
  }

  async #copy({ end, bytesMax, pauseMs }: CopyOrder): Promise<void> {
    const { membership } = this;
    if (!(await membership.beat()) || !(await findPositions(this, membership))) return;
    // Whatever it has read belongs to the generation in which it began to.
    const member = membership.committer;
    const read: [Owned, SentRecord[]][] = [];
    for (const owned of [...membership.owned.values()]) {
      const seen = await readOwned(this, membership, owned, { isolation: "read_committed", bytesMax });
      const copies = (seen ?? []).map(
        ({ id, key }): SentRecord => ({
          id: this.nextId(),
          key,
          isTombstone: false,
          copyOf: id,
        }),
      );
      if (copies.length > 0) read.push([owned, copies]);
    }
    if (read.length > 0 && !(await this.#write({ read, member }, end, pauseMs))) this.#rewind();
  }

  /** Resolves with whether it is known to be committed. */
  async #write({ read, member }: Batch, end: CopyOrder["end"], pauseMs: number): Promise<boolean> {
    const session = this.#session;
    const { membership } = this;
    const offsets = read.flatMap(([{ place, position }]) =>
      position === null ? [] : [{ ...place, offset: position }],
    );
    if (!(await session.ready()) || !(await session.begin())) return false;
    let isSent = true;
    for (const [{ place }, copies] of read) {
      const output = this.#placeFor(place);
      isSent &&= output !== null && (await session.send(output, copies)) === "ok";
      if (pauseMs > 0) await this.wait(pauseMs);
    }
    const { groupId } = membership.options;
    isSent &&= await session.sendOffsets({ groupId, member, offsets });
    if (end === "leave") {
      session.leave();
      return false;
    }
    const commits = isSent && end === "commit";
    return (await session.end(commits)) && commits;
  }

  /** Where it goes on the group has to be asked, once what is open is decided. */
  #rewind(): void {
    for (const owned of this.membership.owned.values()) this.membership.seek(owned, null);
  }

  #placeFor({ partition }: TopicPartition): TopicPartition | null {
    return this.world.topics.place(this.#output, partition);
  }
}
