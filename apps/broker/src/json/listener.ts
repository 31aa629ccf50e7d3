/**
 * Where clients come in: the TCP port, and in-process links. Both get the same Connection.
 *
 * Owns every open connection. Never holds more than `connectionsMax`: the next one is told TOO_MANY_CONNECTIONS and closed.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { inProcessLink } from "../in-process-link.ts";
import { failure } from "./answer-line.ts";
import { Connection } from "./connection.ts";
import type { ConnectionOptions } from "./connection-options.ts";

const KEEP_ALIVE_MS = 60_000;
/** Each holds a descriptor while it reads why; whoever comes when there are so many is told, and does not get the time. */
const SURPLUS_LINGERING_MAX = 16;

export interface ListenerOptions extends Omit<ConnectionOptions, "onClosing"> {
  readonly connectionsMax: number;
  readonly onClosing: (peer: string, reason: string) => void;
}

/** The address cannot be listened on. `code` is the system's: EADDRINUSE, EACCES, EADDRNOTAVAIL … */
export class AddressUnavailable extends Error {
  override readonly name = "AddressUnavailable";
  readonly code: string;

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(`cannot listen on ${host}:${port}: ${cause.code ?? cause.message}`, { cause });
    this.code = cause.code ?? "";
  }
}

export class Listener {
  readonly #options: ListenerOptions;
  readonly #connections = new Set<Connection>();
  /** Those that were one too many, while they are told so. */
  readonly #surplus = new Set<Socket>();
  #server: Server | null = null;
  #lastNumber = 0;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Begins to listen; port 0 picks a free one. Rejects with {@link AddressUnavailable}. */
  async listen(host: string, port: number): Promise<{ host: string; port: number }> {
    const server = createServer({
      allowHalfOpen: true,
      noDelay: true,
      // A peer that is gone without a word is found out, and what it waited for is freed.
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    server.on("connection", (socket) => this.#accept(socket));
    try {
      server.listen(port, host);
      await once(server, "listening");
    } catch (error) {
      throw new AddressUnavailable(host, port, error as NodeJS.ErrnoException);
    }
    // Out of descriptors, for one: the next client is tried again.
    server.on("error", (error) => this.#options.onClosing("the listener", error.message));
    this.#server = server;
    const { address, port: bound } = server.address() as AddressInfo;
    return { host: address, port: bound };
  }

  /** A new link of this process; the other end is served here. */
  connectInProcess(): Duplex {
    const [here, there] = inProcessLink();
    this.#serve(here, "in-process");
    return there;
  }

  /** Takes nobody new. */
  refuseNew(): void {
    this.#server?.close();
  }

  /** Resolves when nobody is owed an answer. */
  async answered(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.answered()));
  }

  /** Lets all go once they have their answers and had `lingerMs` to read them. Resolves when they are gone. */
  async endAll(lingerMs: number): Promise<void> {
    for (const socket of this.#surplus) socket.destroy();
    for (const connection of this.#connections) connection.endAfterAnswers(lingerMs);
    await Promise.all([...this.#connections].map((connection) => connection.closed));
  }

  /** Closes what is left. */
  destroyAll(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  /** Closes all but one. Resolves when they are gone. */
  async destroyOthers(number: number): Promise<void> {
    const others = [...this.#connections].filter((connection) => connection.number !== number);
    for (const connection of others) connection.destroy();
    await Promise.all(others.map((connection) => connection.closed));
  }

  #accept(socket: Socket): void {
    if (this.#connections.size < this.#options.connectionsMax)
      this.#serve(socket, `${socket.remoteAddress}:${socket.remotePort}`);
    else this.#refuse(socket);
  }

  #refuse(socket: Socket): void {
    const message = `there are ${this.#options.connectionsMax} connections, and no more are taken`;
    socket.on("error", () => undefined);
    socket.resume();
    socket.end(failure(undefined, "TOO_MANY_CONNECTIONS", message));
    if (this.#surplus.size >= SURPLUS_LINGERING_MAX) {
      socket.destroySoon();
      return;
    }
    this.#surplus.add(socket);
    const deadline = this.#options.realTime.after(this.#options.limits.lingerMs, () => socket.destroy());
    socket.on("close", () => {
      this.#surplus.delete(socket);
      deadline.cancel();
    });
  }

  #serve(stream: Duplex, peer: string): void {
    this.#lastNumber += 1;
    const connection = new Connection(stream, {
      ...this.#options,
      number: this.#lastNumber,
      onClosing: (reason) => this.#options.onClosing(peer, reason),
    });
    this.#connections.add(connection);
    stream.on("close", () => this.#connections.delete(connection));
  }
}
