/**
 * Everybody who is connected, by whichever way they came in.
 *
 * Owns every open connection and their numbers.
 * Invariants: there are at most `connectionsMax`, whoever is one more is refused where it came in; a number is given once.
 */
import type { Duplex } from "node:stream";
import type { Refused } from "../request-event.ts";
import type { Client } from "./client.ts";
import { Connection } from "./connection.ts";
import type { ClosingLevel, ConnectionOptions } from "./connection-options.ts";
import type { Speech } from "./speech.ts";
import { TurnLine } from "./turn-line.ts";

type EachHasItsOwn = "onClosing" | "onRefused" | "number" | "speech";
type AllShare = "turnLine";

export interface OpenConnectionsOptions extends Omit<ConnectionOptions, EachHasItsOwn | AllShare> {
  readonly connectionsMax: number;
  readonly onClosing: (peer: string, reason: string, level: ClosingLevel) => void;
  readonly onRefused: (peer: string, refused: Refused) => void;
}

export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  readonly #connections = new Set<Connection>();
  readonly #turnLine = new TurnLine();
  #lastNumber = 0;

  constructor(options: OpenConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#connections.size;
  }

  get isFull(): boolean {
    return this.#connections.size >= this.#options.connectionsMax;
  }

  get options(): OpenConnectionsOptions {
    return this.#options;
  }

  serve(stream: Duplex, peer: string, speech: Speech): Connection {
    this.#lastNumber += 1;
    const connection = new Connection(stream, {
      ...this.#options,
      speech,
      turnLine: this.#turnLine,
      number: this.#lastNumber,
      onClosing: (reason, level) => this.#options.onClosing(peer, reason, level),
      onRefused: (refused) => this.#options.onRefused(peer, refused),
    });
    this.#connections.add(connection);
    stream.on("close", () => this.#connections.delete(connection));
    return connection;
  }

  /** Resolves when nobody is owed an answer. */
  async answered(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.answered()));
  }

  /** Lets all go once they have their answers and had `lingerMs` to read them. Resolves when they are gone. */
  async endAll(lingerMs: number): Promise<void> {
    for (const connection of this.#connections) connection.endAfterAnswers(lingerMs);
    await Promise.all([...this.#connections].map((connection) => connection.closed));
  }

  /** Closes what is left. */
  destroyAll(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  /** The same. Resolves when they are gone. */
  async dropped(): Promise<void> {
    this.destroyAll();
    await Promise.all([...this.#connections].map((connection) => connection.closed));
  }

  /** Closes all but that of `client`. Resolves when they are gone. */
  async destroyOthers({ number }: Pick<Client, "number">): Promise<void> {
    const others = [...this.#connections].filter((connection) => connection.number !== number);
    for (const connection of others) connection.destroy();
    await Promise.all(others.map((connection) => connection.closed));
  }
}
