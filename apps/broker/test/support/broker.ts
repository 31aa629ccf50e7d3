/** A broker on a disk in memory, reached without a port. */
import type { Duplex } from "node:stream";
import { MemoryDisk } from "@minikafka/core/testing";
import { OPERATIONS, type OperationName, type ResponseFields } from "@minikafka/protocol";
import { pino } from "pino";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import type { BrokerOptions } from "../../src/broker-options.ts";
import type { RawSettings } from "../../src/config.ts";
import { type Broker, startBroker } from "../../src/daemon.ts";

export type Answer = { readonly ok: boolean } & { readonly [name: string]: unknown };

/** What the tests' broker is given unless a test says otherwise: a clock that stands still. */
const SETTINGS: RawSettings = { data: "/data", clock: "manual", start_time: 1_700_000_000_000 };

export async function openBroker(
  settings: RawSettings = {},
  disk = new MemoryDisk(),
  end = (broker: Broker): Promise<void> => broker.close(),
  options: Pick<BrokerOptions, "onBroken" | "onCrash" | "faults" | "graceMs"> = {},
): Promise<Broker> {
  const broker = await startBroker({
    ...options,
    settings: { ...SETTINGS, ...settings },
    disk,
    log: pino({ level: "silent" }),
    listen: false,
  });
  onTestFinished(() => end(broker));
  return broker;
}

/** One client with a bare stream: what it sends and what comes back, line by line. */
export class Session {
  readonly stream: Duplex;
  readonly answers: Answer[] = [];
  isClosed = false;
  readonly #broker: Broker | null;
  #rest = "";
  #wake: (() => void) | null = null;

  constructor(stream: Duplex, broker: Broker | null = null) {
    this.stream = stream;
    this.#broker = broker;
    stream.on("data", (chunk: Buffer) => this.#receive(chunk.toString()));
    stream.on("error", () => undefined);
    for (const event of ["end", "close"]) {
      stream.on(event, () => {
        this.isClosed = true;
        stream.end();
        this.#wake?.();
      });
    }
  }

  static open(broker: Broker): Session {
    return new Session(broker.connectInProcess(), broker);
  }

  /** The broker at the other end, for another session. Throws where the stream leads elsewhere. */
  get broker(): Broker {
    if (this.#broker === null) throw new Error("this session was not opened at a broker");
    return this.#broker;
  }

  send(text: string | Buffer): void {
    this.stream.write(text);
  }

  /** Sends a request as a line. */
  request(request: object): void {
    this.send(`${JSON.stringify(request)}\n`);
  }

  /** The next answer, or `null` once the broker has ended the stream. */
  async answer(): Promise<Answer | null> {
    while (this.answers.length === 0 && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.answers.shift() ?? null;
  }

  async ask(request: object): Promise<Answer | null> {
    this.request(request);
    return this.answer();
  }

  /** Asks, and holds the answer to its operation's schema: nothing missing, nothing besides. */
  async call<Name extends OperationName>(
    operation: Name,
    fields: object = {},
  ): Promise<{ readonly ok: boolean } & ResponseFields<Name>> {
    const answer = await this.ask({ operation, ...fields });
    expect(answer).toMatchObject({ ok: true });
    const { ok: _ok, id: _id, ...rest } = answer as Answer;
    const response = OPERATIONS[operation].response as z.ZodObject;
    expect(() => z.strictObject(response.shape).parse(rest), JSON.stringify(rest)).not.toThrow();
    return answer as { readonly ok: boolean } & ResponseFields<Name>;
  }

  #receive(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    this.answers.push(...lines.map((line) => JSON.parse(line) as Answer));
    this.#wake?.();
  }
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Lets everything run that needs no time: promises, streams, and what they set off. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
