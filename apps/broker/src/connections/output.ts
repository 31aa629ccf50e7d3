/**
 * What leaves one connection, and how much of it the peer has not taken yet.
 *
 * Owns the writing side of the stream. What is written in one turn of the event loop goes out in one write.
 * Invariants: while more than `pauseBytes` are unsent, `hasRoom` is false, and no further request of this peer is begun;
 * unsent output above `bytesMax` is borne for `stallMs` after something of it has left, and no longer: who reads slowly is kept.
 */
import type { Duplex } from "node:stream";
import type { Deadline, Deadlines } from "../deadlines.ts";
import { MeteredWriter } from "./metered-writer.ts";
import type { Debtor, OutputBudget } from "./output-budget.ts";
import { piecesOf, type Sent } from "./speech.ts";

export interface OutputLimits {
  /** Beyond this much unsent output a connection takes no more requests. */
  readonly pauseBytes: number;
  /** WIRE's max_output_bytes: a peer that leaves more than this unread, and reads nothing of it for `stallMs`, is closed. */
  readonly bytesMax: number;
  /** `null`: it is not, as long as all peers together leave little. */
  readonly stallMs: number | null;
  /** Beyond this much unread output no events of a watch are sent; they are dropped and counted. Less than `bytesMax`. */
  readonly eventBytesMax: number;
}

export interface OutputEvents {
  /** There is room again. */
  onRoom(): void;
  /** The peer reads. */
  onProgress(): void;
  /** The peer let more than `bytesMax` lie for `stallMs`, or all peers together too much. `why` is a sentence for the log. */
  onStalled(why: string): void;
}

/** What all connections share. */
export interface OutputShares {
  readonly realTime: Deadlines;
  readonly budget: OutputBudget;
}

export class Output implements Debtor {
  readonly #writer: MeteredWriter;
  readonly #limits: OutputLimits;
  readonly #shares: OutputShares;
  readonly #events: OutputEvents;
  #stall: Deadline | null = null;
  /** When something has left that had to wait. */
  #progressMs = 0;

  constructor(stream: Duplex, limits: OutputLimits, shares: OutputShares, events: OutputEvents) {
    this.#limits = limits;
    this.#shares = shares;
    this.#events = events;
    this.#writer = new MeteredWriter(stream, {
      onProgress: () => this.#progressed(),
      onDrained: () => {
        this.#settle();
        events.onRoom();
      },
    });
    stream.on("close", () => this.#settle());
  }

  /** Bytes that were written and that the stream has not passed on. */
  get unsentBytes(): number {
    return this.#writer.unsentBytes;
  }

  get hasRoom(): boolean {
    return this.unsentBytes <= this.#limits.pauseBytes || !this.#writer.isLate;
  }

  /** Sends an answer. Does nothing once the stream cannot be written to any more. */
  write(answer: Sent): void {
    for (const piece of piecesOf(answer))
      if (!this.#writer.write(piece)) this.#shares.budget.owe(this, piece.length);
    if (this.#stall === null && this.unsentBytes > this.#limits.bytesMax) this.#watchStall();
  }

  /** Has what was written leave before this returns, as far as the system takes it. */
  flush(): void {
    this.#writer.flush();
  }

  /** Sends what is left and then the end of the stream. */
  end(): void {
    this.#writer.end();
  }

  /** For the budget: too much is owed by all together, and this peer has not read for long. */
  giveUp(): void {
    this.#events.onStalled(
      `${this.unsentBytes} bytes of answers were left unread, beside those of too many others`,
    );
  }

  #watchStall(): void {
    this.#progressMs = this.#shares.realTime.nowMs();
    this.#lookAfter(this.#limits.stallMs);
  }

  #lookAfter(ms: number | null): void {
    const { stallMs, bytesMax } = this.#limits;
    if (ms === null || stallMs === null) return;
    const { realTime } = this.#shares;
    this.#stall = realTime.after(ms, () => {
      this.#stall = null;
      if (this.unsentBytes <= bytesMax) return;
      const leftMs = this.#progressMs + stallMs - realTime.nowMs();
      if (leftMs > 0) this.#lookAfter(leftMs);
      else this.#events.onStalled(`${this.unsentBytes} bytes of answers were left unread`);
    });
  }

  #progressed(): void {
    this.#progressMs = this.#shares.realTime.nowMs();
    this.#shares.budget.progressed(this);
    this.#events.onProgress();
  }

  #settle(): void {
    this.#shares.budget.settle(this);
    this.#stall?.cancel();
    this.#stall = null;
  }
}
