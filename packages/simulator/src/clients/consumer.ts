/** A consumer of a group: it reads what it owns, and commits how far it came. */
import type { Chance } from "../chance.ts";
import type { Isolation } from "../history/history.ts";
import { Client, type ClientWorld } from "./client.ts";
import { commitPositions, findPositions, readOwned } from "./group-reading.ts";
import { Membership, type MembershipOptions } from "./membership.ts";

export interface ConsumeOrder {
  /** Whether it commits what it has read. */
  readonly commits: boolean;
  readonly next: "stay" | "leave";
  readonly bytesMax: number;
}

export class Consumer extends Client {
  readonly membership: Membership;
  readonly #isolation: Isolation;
  #isBusy = false;
  #commits = false;

  constructor(
    name: string,
    world: ClientWorld,
    luck: Chance,
    options: MembershipOptions,
    isolation: Isolation,
  ) {
    super(name, world, luck);
    this.membership = new Membership(this, options, async (revoked) => {
      if (this.#commits) await commitPositions(this, this.membership, revoked, 1);
    });
    this.#isolation = isolation;
  }

  get isIdle(): boolean {
    return !this.#isBusy;
  }

  consume(order: ConsumeOrder): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#consume(order).then(() => {
      this.#isBusy = false;
    });
  }

  async #consume({ commits, next, bytesMax }: ConsumeOrder): Promise<void> {
    const { membership } = this;
    this.#commits = commits;
    if (!(await membership.beat()) || !(await findPositions(this, membership))) return;
    const isolation = this.#isolation;
    for (const owned of [...membership.owned.values()])
      await readOwned(this, membership, owned, { isolation, bytesMax });
    if (commits) await commitPositions(this, membership, [...membership.owned.values()]);
    if (next === "leave") await membership.leave();
  }
}
