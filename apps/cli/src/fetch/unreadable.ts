/**
 * Partitions that `fetch` leaves out because they cannot be read.
 *
 * Owns their errors. Invariants: each is told when it is left out; the first of them is the command's failure in the end, so
 * that whoever reads the exit code knows that something is missing.
 */
import type { Context } from "../context.ts";
import { failureOf, PartitionFailure } from "../failure.ts";

export class UnreadablePartitions {
  readonly #context: Context;
  readonly #topic: string;
  #first: { readonly partition: number; readonly error: unknown } | null = null;
  #count = 0;

  constructor(context: Context, topic: string) {
    this.#context = context;
    this.#topic = topic;
  }

  /** Takes one more. Throws its error when there is no other to read. */
  leaveOut(partition: number, error: unknown, othersLeft: number): void {
    this.#count += 1;
    this.#first ??= { partition, error };
    if (othersLeft === 0) this.requireNone();
    const { code } = failureOf(error);
    this.#context.notes.remark(`${this.#topic} [${partition}] cannot be read (${code}); reading the others`);
  }

  /** Throws the first one's error, with how many there are. */
  requireNone(): void {
    if (this.#first === null) return;
    const { partition, error } = this.#first;
    throw new PartitionFailure(failureOf(error), { topic: this.#topic, partition }, this.#count - 1);
  }
}
