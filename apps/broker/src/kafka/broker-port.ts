/**
 * Where the clients of one broker come in.
 *
 * Owns the port and the connections that came by it.
 * Invariants: it is the same port each time that it is opened; while the broker is stopped it is closed, and nobody stays connected.
 */
import type { Socket } from "node:net";
import type { Connection } from "../connections/connection.ts";
import type { OpenConnections } from "../connections/open-connections.ts";
import { type Address, Port } from "../connections/port.ts";
import type { KafkaDispatcher } from "./kafka-dispatch.ts";
import { kafkaSpeech } from "./kafka-speech.ts";

export interface BrokerPortParts {
  readonly connections: OpenConnections;
  readonly dispatcher: Pick<KafkaDispatcher, "dispatch">;
  /** Kafka: socket.request.max.bytes. */
  readonly frameBytesMax: number;
  /** Where lines of JSON are taken; `null`: nowhere. */
  readonly jsonAddress: Address | null;
}

export class BrokerPort {
  readonly brokerId: number;
  readonly #parts: BrokerPortParts;
  #address: Address;
  #port: Port | null = null;
  /** What was asked for last, while it is on its way. */
  #isWanted = false;
  readonly #connections = new Set<Connection>();

  /** `address`: port 0 picks a free one when it is first opened. */
  constructor(brokerId: number, address: Address, parts: BrokerPortParts) {
    this.brokerId = brokerId;
    this.#address = address;
    this.#parts = parts;
  }

  get address(): Address {
    return this.#address;
  }

  get isOpen(): boolean {
    return this.#port !== null;
  }

  /** Rejects with AddressUnavailable. */
  async open(): Promise<void> {
    this.#isWanted = true;
    if (this.#port !== null) return;
    const port = await Port.open(
      { ...this.#address, setting: "kafka_port" },
      {
        onConnection: (socket) => this.#accept(socket),
        onProblem: (message) =>
          this.#parts.connections.options.onClosing("the Kafka listener", message, "debug"),
      },
    );
    this.#address = { ...this.#address, port: port.address.port };
    if (this.#isWanted) this.#port = port;
    else port.close();
  }

  /** Takes nobody new, also where it was about to be opened. */
  close(): void {
    this.#isWanted = false;
    this.#port?.close();
    this.#port = null;
  }

  /** As when the broker's process had ended. */
  cutAll(reason: string): void {
    for (const connection of [...this.#connections]) connection.cut(reason);
  }

  #accept(socket: Socket): void {
    const { connections, dispatcher, frameBytesMax, jsonAddress } = this.#parts;
    // Who comes from before the port was closed, or is one too many, has no way to be told so.
    if (this.#port === null || connections.isFull) {
      socket.destroy();
      return;
    }
    const { remoteAddress = "" } = socket;
    const peer = { brokerId: this.brokerId, clientHost: `/${remoteAddress.replace(/^::ffff:/, "")}` };
    const connection = connections.serve(
      socket,
      `${remoteAddress}:${socket.remotePort}`,
      kafkaSpeech(dispatcher, { peer, frameBytesMax, jsonAddress }),
    );
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
  }
}
