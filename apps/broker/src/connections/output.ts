/**
 * What leaves one connection, and how much of it the peer has not taken yet.
 *
 * Owns the writing side of the stream. What is written in one turn of the event loop goes out in one write.
 * Invariants: while more than `pauseBytes` are unsent, `hasRoom` is false, and no further request of this peer is begun;
 * unsent output above `bytesMax` is borne for `stallMs` and no longer.
 */
import type { Duplex } from "node:stream";
import type { Deadline, Deadlines } from "../deadlines.ts";
import type { Debtor, OutputBudget } from "./output-budget.ts";
import { piecesOf, type Sent } from "./speech.ts";

export interface OutputLimits {
  /** Beyond this much unsent output a connection takes no more requests. */
  readonly pauseBytes: number;
  /** WIRE's max_output_bytes: a peer that leaves more than this unread for `stallMs` is closed. */
  readonly bytesMax: number;
  readonly stallMs: number;
  /** Beyond this much unread output no events of a watch are sent; they are dropped and counted. Less than `bytesMax`. */
  readonly eventBytesMax: number;
}

export interface OutputEvents {
  /** There is room again. */
  onRoom(): void;
  /** The peer let more than `bytesMax` lie for `stallMs`, or all peers together too much. */
  onStalled(unsentBytes: number): void;
}

/** What all connections share. */
export interface OutputShares {
  readonly realTime: Deadlines;
  readonly budget: OutputBudget;
}

export class Output implements Debtor {
  readonly #stream: Duplex;
  readonly #limits: OutputLimits;
  readonly #shares: OutputShares;
  readonly #events: OutputEvents;
  #stall: Deadline | null = null;
  #isCorked = false;

  constructor(stream: Duplex, limits: OutputLimits, shares: OutputShares, events: OutputEvents) {
    this.#stream = stream;
    this.#limits = limits;
    this.#shares = shares;
    this.#events = events;
    stream.on("drain", () => {
      this.#settle();
      events.onRoom();
    });
    stream.on("close", () => this.#settle());
  }

  /** Bytes that were written and that the stream has not passed on. */
  get unsentBytes(): number {
    return this.#stream.writableLength;
  }

  get hasRoom(): boolean {
    // A stream that was never asked to wait will not say that it has drained either.
    return this.#stream.writableLength <= this.#limits.pauseBytes || !this.#stream.writableNeedDrain;
  }

  /** Sends an answer. Does nothing once the stream cannot be written to any more. */
  write(answer: Sent): void {
    if (!this.#stream.writable) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#stream.cork();
      process.nextTick(this.#uncork);
    }
    for (const piece of piecesOf(answer))
      if (!this.#stream.write(piece)) this.#shares.budget.owe(this, piece.length);
    if (this.#stall === null && this.unsentBytes > this.#limits.bytesMax) this.#watchStall();
  }

  /** Sends what is left and then the end of the stream. */
  end(): void {
    if (this.#stream.writable) this.#stream.end();
  }

  readonly #uncork = (): void => {
    this.#isCorked = false;
    this.#stream.uncork();
  };

  #watchStall(): void {
    this.#stall = this.#shares.realTime.after(this.#limits.stallMs, () => {
      this.#stall = null;
      if (this.unsentBytes > this.#limits.bytesMax) this.#events.onStalled(this.unsentBytes);
    });
  }

  /** For the budget: too much is owed by all together, and this peer has not read for long. */
  giveUp(): void {
    this.#events.onStalled(this.unsentBytes);
  }

  #settle(): void {
    this.#shares.budget.settle(this);
    this.#stall?.cancel();
    this.#stall = null;
  }
}
