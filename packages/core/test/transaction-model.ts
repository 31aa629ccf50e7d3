/**
 * What readers may and must see of transactions, by what was asked and answered alone.
 *
 * Owns: each transaction with what it sent, and its fate as soon as that is known: from an answer, or from what a reader saw. Once
 * known it never changes, wherever somebody looks, and that is what "all or nothing" means.
 */
import assert from "node:assert/strict";

export type Fate = "commit" | "abort";

/** A transaction, or what stands outside of any: then it is committed from the beginning. */
export interface ModelTransaction {
  readonly name: string;
  readonly transactionalId: string;
  fate: Fate | null;
  /** Commits that were asked for and not refused. */
  commits: number;
  /** Somebody may have aborted it: its own instance, another one, an operator, or the step, for its time is over. */
  mayBeAborted: boolean;
  readonly begunMs: number;
  /** When nothing of it may be taken any more: its end was answered, or that of its instance. */
  overAt: number | null;
}

/** A record that was sent. */
export interface Sent {
  readonly value: string;
  readonly place: string;
  readonly key: string;
  readonly by: ModelTransaction;
  /** As it was answered; `null` before that, and when nobody knows what became of it. */
  offset: number | null;
  isRefused: boolean;
}

/** An offset that was sent for a group. Its number is sent once. */
export interface SentNumber {
  readonly number: number;
  readonly place: string;
  readonly by: ModelTransaction;
  readonly askedAt: number;
  /** When it was answered. */
  takenAt: number | null;
  isRefused: boolean;
}

/** A partition, as a reader of committed records finds it. */
export interface ReadPartition {
  readonly place: string;
  readonly records: readonly { readonly offset: number; readonly value: string }[];
  readonly logStartOffset: number;
  readonly lastStableOffset: number;
  readonly isCompacted: boolean;
}

export class TransactionModel {
  readonly transactions = new Map<string, ModelTransaction>();
  readonly #sent = new Map<string, Sent>();
  readonly #numbers = new Map<number, SentNumber>();
  readonly #plain: ModelTransaction;
  #instant = 0;

  constructor() {
    this.#plain = { ...newTransaction("plain", "", 0), fate: "commit", commits: 1 };
  }

  /** The next instant: what was answered before it came before what is asked behind it. */
  tick(): number {
    this.#instant += 1;
    return this.#instant;
  }

  begin(name: string, transactionalId: string, nowMs: number): ModelTransaction {
    const known = this.transactions.get(name);
    if (known !== undefined) return known;
    const begun = newTransaction(name, transactionalId, nowMs);
    this.transactions.set(name, begun);
    return begun;
  }

  /** `by`: outside of a transaction, when it is left out. */
  send(place: string, key: string, by = this.#plain): Sent {
    const value = `${by.name}/${this.#sent.size}`;
    const sent = { value, place, key, by, offset: null, isRefused: false };
    this.#sent.set(value, sent);
    return sent;
  }

  /** Its topic is deleted: nothing that is in it now is read again, wherever a topic of that name is. */
  gone(place: string): void {
    for (const sent of this.#sent.values()) {
      if (sent.place !== place || sent.offset === null) continue;
      sent.offset = null;
      sent.isRefused = true;
    }
  }

  sendNumber(place: string, by = this.#plain): SentNumber {
    const number = this.#numbers.size + 1;
    const sent = { number, place, by, askedAt: this.tick(), takenAt: null, isRefused: false };
    this.#numbers.set(number, sent);
    return sent;
  }

  learn(transaction: ModelTransaction, fate: Fate, why: string): void {
    const { name, commits, mayBeAborted } = transaction;
    transaction.fate ??= fate;
    assert.equal(transaction.fate, fate, `${name} was known as ${transaction.fate}, and now: ${why}`);
    if (fate === "commit") assert.ok(commits > 0, `nobody committed ${name}, and yet: ${why}`);
    else assert.ok(mayBeAborted, `nobody aborted ${name}, and yet: ${why}`);
  }

  /** Somebody asks for what ends the open transaction of an id. */
  threaten(transactionalId: string): void {
    for (const each of this.transactions.values())
      if (each.transactionalId === transactionalId && each.overAt === null) each.mayBeAborted = true;
  }

  /** The step may abort what began before. */
  timeIsOver(beforeMs: number): void {
    for (const each of this.transactions.values()) if (each.begunMs < beforeMs) each.mayBeAborted = true;
  }

  /** An identity of the id was answered: whatever it had in another one is over. */
  initialized(transactionalId: string, name: string): void {
    for (const each of this.transactions.values())
      if (each.transactionalId === transactionalId && each.name !== name) each.overAt ??= this.tick();
  }

  read({ place, records, logStartOffset, lastStableOffset, isCompacted }: ReadPartition): void {
    const seen = new Set<string>();
    for (const { offset, value } of records) {
      const what = `${value} is read at ${offset} of ${place}`;
      assert.ok(!seen.has(value), `${what}, twice`);
      seen.add(value);
      const sent = this.#sent.get(value);
      assert.ok(sent?.place === place && !sent.isRefused, `${what}, where nobody sent it`);
      assert.equal(sent.offset ?? offset, offset, `${what}, and was answered with ${sent.offset}`);
      this.learn(sent.by, "commit", what);
    }
    for (const sent of this.#sent.values()) {
      const { offset, value, by } = sent;
      if (sent.place !== place || offset === null || seen.has(value)) continue;
      if (offset < logStartOffset || offset >= lastStableOffset) continue;
      if (isCompacted && this.#isReplaced(sent)) continue;
      this.learn(by, "abort", `${value} is not read at ${offset} of ${place}, below ${lastStableOffset}`);
    }
  }

  /** Whether compaction may have taken it for a later record of its key. */
  #isReplaced({ key, place, offset }: Sent): boolean {
    return [...this.#sent.values()].some(
      (other) =>
        other.key === key &&
        other.place === place &&
        other.by.fate !== "abort" &&
        !other.isRefused &&
        (other.offset === null || other.offset > (offset ?? 0)),
    );
  }

  /** A group was found at `number` of a place, `null` for none, by who asked at `askedAt`. `isOver`: all ends are completed. */
  found(
    place: string,
    number: number | null,
    { askedAt, isOver }: { askedAt: number; isOver: boolean },
  ): void {
    const shown = number === null ? null : this.#numbers.get(number);
    const what = `${place} is at ${number}`;
    assert.ok(shown === null || (shown?.place === place && !shown.isRefused), `${what}, which nobody sent`);
    if (shown !== null) this.learn(shown.by, "commit", what);
    for (const other of this.#numbers.values()) {
      if (other.place !== place || other === shown || other.takenAt === null || other.takenAt > askedAt)
        continue;
      // What is shown was sent later, or at the same time.
      const mayBeBehind = shown !== null && (shown.takenAt === null || other.askedAt <= shown.takenAt);
      if (mayBeBehind) continue;
      const { by } = other;
      const why = `${what}, and not at ${other.number}, which came later`;
      const wasOver = by === this.#plain || isOver || (by.overAt !== null && by.overAt < askedAt);
      if (wasOver) this.learn(by, "abort", why);
    }
  }
}

function newTransaction(name: string, transactionalId: string, begunMs: number): ModelTransaction {
  return { name, transactionalId, fate: null, commits: 0, mayBeAborted: false, begunMs, overAt: null };
}
