/**
 * Who is connected over HTTP.
 *
 * Owns every connection, whether it asks for something just now, and how many there may be.
 * Invariants: there are at most CONNECTIONS_MAX; each either is idle, the longest first, or has answers that have not left; where there
 * is no room, whoever has been idle the longest makes it, so that those who hold a connection and ask nothing keep nobody out; the last
 * CONNECTIONS_KEPT are for probes, which are answered whatever others leave unread.
 * Never: waits for anybody.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

export const CONNECTIONS_MAX = 64;
/** For those who ask whether the broker lives. */
export const CONNECTIONS_KEPT = 4;

export class HttpConnections {
  readonly #idle = new Set<Socket>();
  /** How many answers have not left, by connection: requests may come one behind another. */
  readonly #busy = new Map<Socket, number>();

  /** Takes in whoever has just connected, or lets go whoever has to make room. */
  admit(socket: Socket): void {
    this.#idle.add(socket);
    socket.once("close", () => {
      this.#idle.delete(socket);
      this.#busy.delete(socket);
    });
    if (this.#idle.size + this.#busy.size <= CONNECTIONS_MAX) return;
    // Itself, where everybody else waits for an answer.
    const [longest = socket] = this.#idle;
    this.#idle.delete(longest);
    longest.destroy();
  }

  /** A request has come in; its connection is in use until the answer has left. */
  ask(socket: Socket, response: ServerResponse): void {
    this.#idle.delete(socket);
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    response.once("close", () => this.#answered(socket));
  }

  /** Whether an answer on this connection has not left. */
  isAsking(socket: Socket): boolean {
    return this.#busy.has(socket);
  }

  /** Whether what is left is for probes; asked by a request that is counted itself. */
  get isCrowded(): boolean {
    return this.#busy.size > CONNECTIONS_MAX - CONNECTIONS_KEPT;
  }

  #answered(socket: Socket): void {
    const count = this.#busy.get(socket);
    if (count === undefined) return;
    if (count > 1) {
      this.#busy.set(socket, count - 1);
      return;
    }
    this.#busy.delete(socket);
    if (!socket.destroyed) this.#idle.add(socket);
  }
}
