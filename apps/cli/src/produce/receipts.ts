/**
 * Where records landed, printed in the order of the input while more of them are read.
 *
 * Owns the sends that are not settled. Invariants: groups are printed in the order in which they were added, and a record
 * that failed is named by its line; nothing is held back to be printed together with what is not there yet, so that who types
 * a line sees its offset. A terminal gets the first lines of a long input and then their sum; a pipe and `-J` get them all. A
 * reader of stdout that goes away ends the printing and not the producing: the records are the work.
 */
import type { RecordMetadata } from "@minikafka/client";
import type { Context } from "../context.ts";
import { type Failure, failureOf, OutputClosed, RecordFailure } from "../failure.ts";
import { LandingSum } from "./landing-sum.ts";

export interface SentRecord {
  /** Its number in the input, from 1; `null` for the one given with `-v`. */
  readonly line: number | null;
  readonly sent: Promise<RecordMetadata>;
}

/** So many lines of a file or a pipe are shown on a terminal, one by one. Who types them sees each. */
export const TERMINAL_LINES_MAX = 20;

type Settled = readonly PromiseSettledResult<RecordMetadata>[];

export class Receipts {
  readonly #context: Context;
  readonly #pendingChanged: (pending: number) => void;
  #pending = 0;
  #printing: Promise<void> = Promise.resolve();
  #produced = 0;
  #failed = 0;
  #first: { readonly failure: Failure; readonly line: number | null } | null = null;
  #broken: unknown = null;
  #changed: (() => void)[] = [];
  readonly #linesMax: number;
  readonly #unprinted = new LandingSum();

  /** `pendingChanged` hears how many records are pending whenever that changes. */
  constructor(context: Context, pendingChanged: (pending: number) => void = () => undefined) {
    this.#context = context;
    this.#pendingChanged = pendingChanged;
    const isWatched = context.data.isTerminal && context.stdin.isTTY !== true && !context.settings.json;
    this.#linesMax = isWatched ? TERMINAL_LINES_MAX : Number.POSITIVE_INFINITY;
  }

  /** Records whose fate is not known or not printed. */
  get pending(): number {
    return this.#pending;
  }

  /** True once going on makes no sense. */
  get hasFailed(): boolean {
    return this.#first !== null || this.#broken !== null;
  }

  /** Takes records that were sent together. Never throws. */
  add(records: readonly SentRecord[]): void {
    this.#pending += records.length;
    this.#pendingChanged(this.#pending);
    // At once, so that a failure has its listener before it comes.
    const settled = Promise.allSettled(records.map(({ sent }) => sent));
    this.#printing = this.#printing.then(async () => {
      await this.#settle(records, await settled);
      for (const resolve of this.#changed.splice(0)) resolve();
    });
  }

  /** Resolves when at most `pendingMax` records are pending, or something failed. */
  async whenFew(pendingMax: number): Promise<void> {
    while (this.#pending > pendingMax && !this.hasFailed) {
      await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
  }

  /** Resolves when all that was sent is settled and printed. Throws what the first record in the order of the input failed with. */
  async finish(): Promise<void> {
    await this.#printing;
    const unprinted = this.#unprinted.text();
    if (unprinted !== null) this.#context.notes.remark(unprinted);
    if (this.#broken !== null) throw this.#broken;
    if (this.#first === null) return;
    const { failure, line } = this.#first;
    throw new RecordFailure(failure, line, { produced: this.#produced, failed: this.#failed });
  }

  async #settle(records: readonly SentRecord[], results: Settled): Promise<void> {
    let text = "";
    for (const [index, result] of results.entries()) {
      if (result.status === "fulfilled") {
        this.#produced += 1;
        if (this.#produced <= this.#linesMax) text += this.#receipt(result.value);
        else this.#unprinted.add(result.value);
      } else {
        this.#failed += 1;
        this.#first ??= { failure: failureOf(result.reason), line: records[index]?.line ?? null };
      }
    }
    this.#pending -= records.length;
    this.#pendingChanged(this.#pending);
    if (!this.#context.data.isOpen) return;
    try {
      await this.#context.data.write(text);
    } catch (error) {
      if (!(error instanceof OutputClosed)) this.#broken = error;
    }
    // Behind the lines, which share the terminal with it.
    if (this.#produced > this.#linesMax) this.#context.notes.progress(`${this.#produced} records produced`);
  }

  #receipt({ topic, partition, offset, timestampMs }: RecordMetadata): string {
    if (this.#context.settings.json) {
      return `${JSON.stringify({ topic, partition, offset, timestamp: timestampMs })}\n`;
    }
    // With acks 0 nobody says where it landed, or whether it did.
    return `partition ${partition}, offset ${offset ?? "unknown"}\n`;
  }
}
