/**
 * A connection without a socket: two Duplex streams, each end of which is what the other wrote. The broker serves one end
 * with the same code that serves a socket, so that an experiment needs no port and nothing is left to a network's timing.
 *
 * Invariants: bytes arrive in order and once; a write is finished when the other side has taken it (back-pressure), and
 * bytes are copied on the way, so that neither side sees the other's buffers change. Two sides that answer each other at once
 * never keep the event loop from turning: timers, sockets and a test runner's time limit have their turn in between.
 */
import { Duplex } from "node:stream";
import { timers } from "./system-timers.ts";

type Taken = (error?: Error | null) => void;

/**
 * Each so many chunks of an end, one arrives in a later turn of the event loop. Counted and not timed: the same writes are held
 * up in each run.
 */
const CHUNKS_PER_TURN = 16;

/** A chunk that waits for the event loop to turn. */
interface HeldChunk {
  readonly bytes: Buffer;
  readonly taken: Taken;
}

class LinkEnd extends Duplex {
  #other: LinkEnd | null = null;
  /** Ends the other side's write, once what it wrote has been read here. */
  #taken: Taken | null = null;
  /** Of what was written here. A stream writes one after the other: there is never a second one. */
  #held: HeldChunk | null = null;
  #chunks = 0;

  join(other: LinkEnd): void {
    this.#other = other;
  }

  #send(bytes: Buffer, taken: Taken): void {
    this.#chunks += 1;
    this.#held = { bytes, taken };
    if (this.#chunks % CHUNKS_PER_TURN === 0) timers.setImmediate(() => this.#deliver());
    else this.#deliver();
  }

  #deliver(): void {
    if (this.#held === null) return;
    const { bytes, taken } = this.#held;
    this.#held = null;
    const other = this.#other;
    if (other === null || other.destroyed) taken(closedByPeer());
    else other.#receive(bytes, taken);
  }

  /** Takes in what the other side wrote. */
  #receive(bytes: Buffer, taken: Taken): void {
    this.#taken = taken;
    this.push(bytes);
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = null;
    taken?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, taken: Taken): void {
    if (chunk.length === 0) taken();
    else this.#send(Buffer.from(chunk), taken);
  }

  override _writev(chunks: { chunk: Buffer }[], taken: Taken): void {
    const bytes = Buffer.concat(chunks.map(({ chunk }) => chunk));
    // Node empties the stream's buffer behind this call, with whatever an answer to the answer has written meanwhile.
    this.#held = { bytes, taken };
    void Promise.resolve().then(() => this.#deliver());
  }

  override _final(done: Taken): void {
    this.#other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: Taken): void {
    this.#deliver();
    const other = this.#other;
    const taken = this.#taken;
    this.#other = null;
    this.#taken = null;
    taken?.(closedByPeer());
    // As with a socket that is closed: what was sent can still be read, and then comes the end.
    if (other !== null && !other.destroyed && !other.readableEnded && !this.writableFinished)
      other.push(null);
    done(error);
  }
}

function closedByPeer(): Error {
  return Object.assign(new Error("the other end of the in-process link is closed"), { code: "EPIPE" });
}

/** The two ends of a new link. Both stay open for writing when the other side has ended, as a half-closed socket. */
export function inProcessLink(): [Duplex, Duplex] {
  const left = new LinkEnd();
  const right = new LinkEnd();
  left.join(right);
  right.join(left);
  return [left, right];
}
