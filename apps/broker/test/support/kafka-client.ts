/** A client of Kafka's protocol, made of the codec alone: what it asks goes over a real socket, in any version. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { MemoryDisk } from "@minikafka/core/testing";
import {
  API_TABLE,
  type ApiName,
  type ApiNamed,
  decodeResponse,
  FrameSplitter,
  Reader,
  type RequestInputOf,
  type ResponseValueOf,
  readResponseHeader,
  requestFrame,
} from "@minikafka/protocol/kafka";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import type { RawSettings } from "../../src/config.ts";
import { type Broker, startBroker } from "../../src/daemon.ts";

const FRAME_BYTES_MAX = 64 * 1024 * 1024;

/** A broker with real ports, on a disk in memory; its clock goes by itself unless `settings` say otherwise. */
export async function openKafkaBroker(settings: RawSettings = {}, disk = new MemoryDisk()): Promise<Broker> {
  const broker = await startBroker({
    settings: { data: "/data", port: 0, kafka_port: 0, ...settings },
    disk,
    log: pino({ level: "silent" }),
  });
  onTestFinished(() => broker.close());
  return broker;
}

interface Pending {
  readonly correlationId: number;
  readonly answered: (frame: Buffer | null) => void;
}

export class KafkaClient {
  readonly socket: Socket;
  isClosed = false;
  /** Of answers, in the order in which they came. */
  readonly correlationIds: number[] = [];
  readonly #frames = new FrameSplitter(FRAME_BYTES_MAX);
  #pending: Pending[] = [];
  #correlationId = 0;
  #wake: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#close());
    socket.on("end", () => this.#close());
  }

  /** At the port of a hosted broker. */
  static async open(broker: Broker, brokerId = 1): Promise<KafkaClient> {
    const address = broker.kafkaAddresses.find((each) => each.brokerId === brokerId);
    if (address === undefined) throw new Error(`broker ${brokerId} listens for none`);
    const socket = connect({ port: address.port, host: "127.0.0.1" });
    onTestFinished(() => {
      socket.destroy();
    });
    await once(socket, "connect");
    return new KafkaClient(socket);
  }

  /** Sends a request, and returns what it is answered; rejects when the connection ends before. */
  async ask<Name extends ApiName>(
    name: Name,
    version: number,
    request: RequestInputOf<Name>,
  ): Promise<ResponseValueOf<Name>> {
    const frame = await this.#exchange(this.frame(name, version, request));
    if (frame === null) throw new Error("the connection ended before the answer");
    const api = apiNamed(name);
    const reader = new Reader(frame);
    readResponseHeader(reader, api, version);
    return decodeResponse(api, version, frame.subarray(reader.position)) as ResponseValueOf<Name>;
  }

  /** A whole frame, size and header included. */
  frame<Name extends ApiName>(name: Name, apiVersion: number, request: RequestInputOf<Name>): Buffer {
    this.#correlationId += 1;
    const header = { apiVersion, correlationId: this.#correlationId, clientId: "tests" };
    return Buffer.concat(requestFrame(apiNamed(name), header, request));
  }

  /** Sends bytes that may be anything. */
  send(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  /** Sends one frame, and returns the next answer without its size; `null` when the connection ends. */
  async #exchange(bytes: Buffer): Promise<Buffer | null> {
    const correlationId = bytes.readInt32BE(8);
    if (this.isClosed) return null;
    const answer = new Promise<Buffer | null>((answered) => this.#pending.push({ correlationId, answered }));
    this.send(bytes);
    return answer;
  }

  /** Resolves with the next answer to a frame that was made by hand. */
  exchange(bytes: Buffer): Promise<Buffer | null> {
    return this.#exchange(bytes);
  }

  async closed(): Promise<void> {
    if (!this.isClosed) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  #receive(chunk: Buffer): void {
    this.#frames.push(chunk);
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
      const correlationId = frame.readInt32BE(0);
      this.correlationIds.push(correlationId);
      const place = this.#pending.findIndex((each) => each.correlationId === correlationId);
      const [pending] = place === -1 ? [] : this.#pending.splice(place, 1);
      pending?.answered(frame);
    }
  }

  #close(): void {
    this.isClosed = true;
    for (const { answered } of this.#pending.splice(0)) answered(null);
    for (const wake of this.#wake.splice(0)) wake();
  }
}

type ApisByName = { readonly [Name in ApiName]: ApiNamed<Name> };

const API_BY_NAME = Object.fromEntries(Object.values(API_TABLE).map((api) => [api.name, api])) as ApisByName;

export function apiNamed<Name extends ApiName>(name: Name): ApiNamed<Name> {
  return API_BY_NAME[name];
}
