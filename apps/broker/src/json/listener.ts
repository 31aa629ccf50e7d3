/**
 * Where clients that speak JSON come in: the TCP port, and in-process links. Both get the same Connection.
 *
 * Owns the port, and those that were one too many: such a one is told TOO_MANY_CONNECTIONS and closed.
 */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { OpenConnections } from "../connections/open-connections.ts";
import { type Address, Port } from "../connections/port.ts";
import type { Speech } from "../connections/speech.ts";
import { inProcessLink } from "../in-process-link.ts";
import { failure } from "./answer-line.ts";

/** Each holds a descriptor while it reads why; whoever comes when there are so many is told, and does not get the time. */
const SURPLUS_LINGERING_MAX = 16;

export class Listener {
  readonly #connections: OpenConnections;
  readonly #speech: Speech;
  /** Those that were one too many, while they are told so. */
  readonly #surplus = new Set<Socket>();
  #port: Port | null = null;

  constructor(connections: OpenConnections, speech: Speech) {
    this.#connections = connections;
    this.#speech = speech;
  }

  /** Begins to listen; port 0 picks a free one. Rejects with AddressUnavailable. */
  async listen(host: string, port: number): Promise<Address> {
    this.#port = await Port.open(
      { host, port },
      {
        onConnection: (socket) => this.#accept(socket),
        onProblem: (message) => this.#connections.options.onClosing("the listener", message, "debug"),
      },
    );
    return this.#port.address;
  }

  /** A new link of this process; the other end is served here. */
  connectInProcess(): Duplex {
    const [here, there] = inProcessLink();
    this.#connections.serve(here, "in-process", this.#speech);
    return there;
  }

  /** Takes nobody new. */
  refuseNew(): void {
    this.#port?.close();
  }

  /** Lets those go who were one too many. */
  endSurplus(): void {
    for (const socket of this.#surplus) socket.destroy();
  }

  #accept(socket: Socket): void {
    if (this.#connections.isFull) this.#refuse(socket);
    else this.#connections.serve(socket, `${socket.remoteAddress}:${socket.remotePort}`, this.#speech);
  }

  #refuse(socket: Socket): void {
    const { connectionsMax, realTime, limits } = this.#connections.options;
    const message = `there are ${connectionsMax} connections, and no more are taken`;
    socket.on("error", () => undefined);
    socket.resume();
    socket.end(failure(undefined, "TOO_MANY_CONNECTIONS", message));
    if (this.#surplus.size >= SURPLUS_LINGERING_MAX) {
      socket.destroySoon();
      return;
    }
    this.#surplus.add(socket);
    const deadline = realTime.after(limits.lingerMs, () => socket.destroy());
    socket.on("close", () => {
      this.#surplus.delete(socket);
      deadline.cancel();
    });
  }
}
