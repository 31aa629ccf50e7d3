/**
 * Requests of a classic group's members that wait for others.
 *
 * Owns: of each member the newest request that joins, and the newest that asks for its assignment.
 * Invariants: each is answered once; an answer that is decided belongs to the request that waited then, however long it takes until
 * it is durable, and to none that comes later.
 * Never: a request that waits at a coordinator whose leadership is over.
 */
import type { BrokerError } from "../../errors.ts";
import type { Joined, Reply, Synced } from "./classic-events.ts";

interface Waiting {
  readonly resolve: (answer: Joined | Synced) => void;
  readonly reject: (problem: unknown) => void;
}

/** Answers that were decided: told when they are durable, or taken back. */
export interface Owed {
  readonly tell: () => void;
  readonly fail: (problem: unknown) => void;
}

export class Parked {
  readonly #waiting = new Map<string, Waiting>();
  /** How many decided answers each member has not been told. */
  readonly #owed = new Map<string, number>();
  readonly #failing = new Set<(problem: unknown) => void>();

  /** `newer` is what the request before it, which nobody waits for any more, is told. */
  park(to: "join" | "sync", memberId: string, newer: BrokerError): Promise<Joined | Synced> {
    const key = keyOf(to, memberId);
    this.#waiting.get(key)?.reject(newer);
    const answer = new Promise<Joined | Synced>((resolve, reject) => {
      this.#waiting.set(key, { resolve, reject });
    });
    // Nobody may be waiting any more.
    answer.catch(() => {});
    return answer;
  }

  /** These are decided. `onSettled` is called for each member when it is told, or that it has to ask again. */
  owe(replies: readonly Reply[], onSettled: (memberId: string) => void): Owed {
    const taken = replies.flatMap((reply) => {
      const key = keyOf(reply.to, reply.memberId);
      const waiting = this.#waiting.get(key);
      this.#waiting.delete(key);
      return waiting === undefined ? [] : [{ reply, waiting }];
    });
    for (const { reply } of taken) this.#count(reply.memberId, 1);
    const settle = (problem?: unknown) => {
      if (!this.#failing.delete(settle)) return;
      for (const { reply, waiting } of taken) {
        this.#end(reply, waiting, problem);
        onSettled(reply.memberId);
      }
    };
    this.#failing.add(settle);
    return { tell: () => settle(), fail: settle };
  }

  /** Whether it has an answer to wait for, so that it can't show that it lives. */
  isOwed(memberId: string): boolean {
    return this.#owed.has(memberId);
  }

  /** Whether anybody has. */
  get isAnyoneOwed(): boolean {
    return this.#owed.size > 0;
  }

  /** Nobody will answer here any more. */
  abandon(problem: BrokerError): void {
    for (const fail of [...this.#failing]) fail(problem);
    for (const { reject } of this.#waiting.values()) reject(problem);
    this.#waiting.clear();
  }

  #end(reply: Reply, { resolve, reject }: Waiting, problem?: unknown): void {
    this.#count(reply.memberId, -1);
    if (problem !== undefined) reject(problem);
    else if ("refusal" in reply) reject(reply.refusal);
    else resolve("joined" in reply ? reply.joined : reply.synced);
  }

  #count(memberId: string, change: number): void {
    const count = (this.#owed.get(memberId) ?? 0) + change;
    if (count > 0) this.#owed.set(memberId, count);
    else this.#owed.delete(memberId);
  }
}

function keyOf(to: "join" | "sync", memberId: string): string {
  return `${to}:${memberId}`;
}
