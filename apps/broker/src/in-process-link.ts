/**
 * A connection without a socket: two Duplex streams, each end of which is what the other wrote. The broker serves one end
 * with the same code that serves a socket, so that an experiment needs no port and nothing is left to a network's timing.
 *
 * Invariants: bytes arrive in order and once; a write is finished when the other side has taken it (back-pressure), and
 * bytes are copied on the way, so that neither side sees the other's buffers change.
 */
import { Duplex } from "node:stream";

type Taken = (error?: Error | null) => void;

class LinkEnd extends Duplex {
  #other: LinkEnd | null = null;
  /** Ends the other side's write, once what it wrote has been read here. */
  #taken: Taken | null = null;

  join(other: LinkEnd): void {
    this.#other = other;
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
    const other = this.#other;
    if (other === null || other.destroyed) taken(closedByPeer());
    else if (chunk.length === 0) taken();
    else other.#receive(Buffer.from(chunk), taken);
  }

  override _writev(chunks: { chunk: Buffer }[], taken: Taken): void {
    const other = this.#other;
    if (other === null || other.destroyed) taken(closedByPeer());
    else other.#receive(Buffer.concat(chunks.map(({ chunk }) => chunk)), taken);
  }

  override _final(done: Taken): void {
    this.#other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: Taken): void {
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
