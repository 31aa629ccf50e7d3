/**
 * When whose answer is made.
 *
 * Owns the requests that have come in, by connection, each connection's in their order.
 * Invariants: a connection has one answer under way, and the next is made once that one is taken, so that what one reader leaves unread is
 * one answer; of those that look through everything there is, on whatever connections, one is made after another, with as much time between
 * two as the first has taken, so that all of them have no more than half of the process; nothing is made for a connection that is gone; at most WAITING_MAX wait behind the one under way.
 * Never: keeps a short answer back behind a long one of another connection.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Of one connection. Clients that send requests one behind another at all send a few. */
export const WAITING_MAX = 16;

export interface Asked {
  readonly socket: Socket;
  readonly response: ServerResponse;
  /** Whether the answer looks through everything there is. */
  readonly isLong: boolean;
  /** Makes the answer and hands it to the response. Never throws. */
  answer(): void;
  /** The same, with why there is none: too many wait. It ends the connection. */
  refuse(): void;
}

export interface Turning {
  /** Calls it in another turn of the event loop, once others have had theirs. */
  readonly later: (turn: () => void) => void;
  /** Calls it after that time. */
  readonly after: (ms: number, turn: () => void) => void;
  /** Real time, since whenever. */
  readonly nowMs: () => number;
}

export class AnswerTurns {
  /** The first is under way. Gone with the connection. */
  readonly #lines = new WeakMap<Socket, Asked[]>();
  readonly #long: Asked[] = [];
  readonly #turning: Turning;
  /** Whether a long answer has been made just now, so that others have their time first. */
  #isOthersTime = false;

  constructor(turning: Turning) {
    this.#turning = turning;
  }

  /** A request has come in. */
  ask(asked: Asked): void {
    const { socket } = asked;
    const line = this.#lines.get(socket) ?? [];
    // Behind the refusal of one that is too many nothing is answered, and as little as can be is read.
    if (line.length > WAITING_MAX) socket.pause();
    if (line.length > WAITING_MAX + 1) return;
    this.#lines.set(socket, line);
    const isRefused = line.length > WAITING_MAX;
    line.push(isRefused ? { ...asked, isLong: false, answer: () => asked.refuse() } : asked);
    asked.response.once("close", () => this.#taken(socket, line));
    if (line.length === 1) this.#ready(asked);
  }

  /** The connection's next has its turn after others: what many leave behind in one packet is no turn of one. */
  #taken(socket: Socket, line: Asked[]): void {
    line.shift();
    const [next] = line;
    if (next === undefined) this.#lines.delete(socket);
    else this.#turning.later(() => this.#ready(next));
  }

  #ready(asked: Asked): void {
    if (isGone(asked)) return;
    if (!asked.isLong) {
      asked.answer();
      return;
    }
    this.#long.push(asked);
    if (!this.#isOthersTime) this.#turn();
  }

  #turn(): void {
    let asked = this.#long.shift();
    while (asked !== undefined && isGone(asked)) asked = this.#long.shift();
    this.#isOthersTime = asked !== undefined;
    if (asked === undefined) return;
    const { nowMs, after } = this.#turning;
    const beganMs = nowMs();
    asked.answer();
    // One turn would not do: the system hands over one new connection in a turn.
    after(Math.max(1, Math.ceil(nowMs() - beganMs)), () => this.#turn());
  }
}

/** Who has ended his side is taken for gone: the server ends its own then. */
function isGone({ socket }: Asked): boolean {
  return !socket.writable;
}
