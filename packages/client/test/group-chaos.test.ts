/**
 * A group whose members come, go, stall, are expired and lose their connections, drawn from a seed. At every step each member
 * that the coordinator counts as one reads, and has in hand, only what it holds, and nothing is committed whose worker has not asked for more.
 */
import { expect, test } from "vitest";
import type { Consumer } from "../src/consumer/consumer.ts";
import type { ConsumerRecord } from "../src/consumer/consumer-record.ts";
import { isRetriable } from "../src/errors.ts";
import { grouping } from "./support/grouping.ts";
import { quiet } from "./support/scripted-peer.ts";

const SEEDS = Number(process.env.MINIKAFKA_SEEDS ?? 6);
const STEPS = 120;
const PARTITIONS = 5;

/** Numbers that look random and depend on a seed alone. */
function dice(seed: number): (limit: number) => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

class World {
  readonly #group: Awaited<ReturnType<typeof grouping>>;
  readonly #below: (limit: number) => number;
  readonly members = new Map<string, Consumer>();
  /** Members that do not know yet that they are expired. */
  readonly #expired = new Set<string>();
  /** What each member was handed out last. */
  readonly #inHand = new Map<string, readonly ConsumerRecord[]>();
  /** Offsets of each partition that some member was done with. */
  readonly #done = Array.from({ length: PARTITIONS }, () => new Set<number>());
  #named = 0;
  /** How often each member has lost everything. */
  readonly #losses = new Map<string, number>();
  expiries = 0;
  moves = 0;

  constructor(group: Awaited<ReturnType<typeof grouping>>, below: (limit: number) => number) {
    this.#group = group;
    this.#below = below;
  }

  async step(): Promise<void> {
    const draw = this.#below(100);
    if (draw < 30) this.#produce();
    else if (draw < 65) await this.#poll();
    else if (draw < 80) await this.#group.pass(500 * (1 + this.#below(8)));
    else if (draw < 85) this.#group.peer.breakLink();
    else if (draw < 92) await this.#join();
    else if (draw < 96) await this.#leave();
    else this.#expire();
    await quiet();
    this.check();
  }

  /** Ends faults, and reads what is there. */
  async settle(): Promise<void> {
    if (this.members.size === 0) await this.#join();
    for (let round = 0; round < 60; round += 1) {
      for (const memberId of this.members.keys()) await this.#pollOf(memberId);
      await this.#group.pass(1_500);
      this.check();
    }
  }

  check(): void {
    this.#checkCommits();
    this.#checkHolders();
  }

  #checkHolders(): void {
    // Under immediate an old view overlaps with the new owner's.
    if (this.#group.groups.rebalance === "immediate") return;
    const holders = this.#group.groups.holders("g");
    for (const [memberId, { assignment }] of this.members) {
      if (this.#expired.has(memberId)) continue;
      for (const { partition } of [...assignment, ...(this.#inHand.get(memberId) ?? [])])
        expect(holders[`orders/${partition}`]).toEqual([memberId]);
    }
  }

  #checkCommits(): void {
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const committed = this.#group.groups.committed("g", `orders/${partition}`) ?? 0;
      for (let offset = 0; offset < committed; offset += 1)
        expect(this.#done[partition]?.has(offset), `${partition}/${offset} is done`).toBe(true);
    }
  }

  checkAll(): void {
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      expect(this.#done[partition]?.size).toBe(this.#group.broker.end("orders", partition));
    expect([...this.members.values()].flatMap(({ assignment }) => assignment)).toHaveLength(PARTITIONS);
  }

  #produce(): void {
    const values = Array.from({ length: 1 + this.#below(4) }, (_, index) => `${index}`);
    this.#group.broker.append("orders", this.#below(PARTITIONS), values);
  }

  async #poll(): Promise<void> {
    const memberId = this.#any();
    if (memberId !== undefined) await this.#pollOf(memberId);
  }

  async #pollOf(memberId: string): Promise<void> {
    for (const { partition, offset } of this.#inHand.get(memberId) ?? []) this.#done[partition]?.add(offset);
    this.#inHand.delete(memberId);
    const losses = this.#losses.get(memberId);
    try {
      const member = this.members.get(memberId) as Consumer;
      const records = await this.#inTime(member.poll({ maxRecords: 1 + this.#below(6) }));
      // What it has lost while it waited is nobody's to have in hand.
      if (this.#losses.get(memberId) === losses) this.#inHand.set(memberId, records);
    } catch (error) {
      if (!isRetriable(error)) throw error;
    }
  }

  async #join(): Promise<void> {
    const memberId = `m${this.#named++}`;
    const joining = this.#group.automatic(memberId, {
      // Nobody's patience ends, so that what is in hand is let go by nobody.
      rebalanceTimeoutMs: 86_400_000,
      onRebalance: ({ revoked, lost }) => {
        this.moves += revoked.length;
        if (lost.length === 0) return;
        this.#losses.set(memberId, (this.#losses.get(memberId) ?? 0) + 1);
        this.#expired.delete(memberId);
        this.#inHand.delete(memberId);
      },
    });
    const member = await this.#inTime(joining);
    this.members.set(memberId, member);
    void member.subscribe(["orders"]);
  }

  async #leave(): Promise<void> {
    const memberId = this.#any();
    if (memberId === undefined) return;
    const member = this.members.get(memberId) as Consumer;
    this.members.delete(memberId);
    // Half of them crash, and are expired only when their session is over.
    const leave = this.#below(2) === 0;
    await this.#inTime(member.close({ leave, timeoutMs: 1_000 }));
    if (!leave && this.#group.groups.members("g").includes(memberId))
      this.#group.groups.expire("g", memberId);
  }

  #expire(): void {
    const memberId = this.#any();
    if (memberId === undefined || !this.#group.groups.members("g").includes(memberId)) return;
    this.#group.groups.expire("g", memberId);
    this.expiries += 1;
    if (this.members.get(memberId)?.assignment.length !== 0) this.#expired.add(memberId);
    // It was told of all that it had as revoked, so that it hears of nothing more when it is lost.
    else this.#inHand.delete(memberId);
  }

  /** What may take a while, such as a connection that is made anew. */
  async #inTime<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {});
    for (await quiet(); !isSettled; await quiet()) this.#group.clock.advance(50);
    return settled;
  }

  #any(): string | undefined {
    return [...this.members.keys()][this.#below(this.members.size)];
  }
}

test("members read only what they hold, commit only what is done, and in the end nothing is left undone", async () => {
  let [expiries, moves] = [0, 0];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const group = await grouping({ orders: PARTITIONS });
    if (seed % 3 === 0) group.groups.rebalance = "immediate";
    const world = new World(group, dice(seed));
    try {
      for (let step = 0; step < STEPS; step += 1) await world.step();
      await world.settle();
      world.checkAll();
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
    await group.close();
    expect(group.clock.waiting, `seed ${seed}`).toBe(0);
    expiries += world.expiries;
    moves += world.moves;
  }
  expect(expiries).toBeGreaterThan(SEEDS / 2);
  expect(moves).toBeGreaterThan(SEEDS * 3);
}, 60_000);
