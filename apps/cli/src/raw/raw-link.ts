/**
 * A connection on which lines go out and come back untouched, for `raw`. Everything else goes through the SDK.
 *
 * Owns one socket and the count of requests that have no answer yet. Never looks into a line further than it must to know
 * whether an answer will come.
 */
import { createConnection, type Socket } from "node:net";
import { LineFramer } from "@minikafka/protocol";
import { CliError } from "../failure.ts";
import { type BrokerAddress, brokerText } from "../input/arguments.ts";

/** An answer may hold a fetch of 16 MiB in Base64, and more in JSON. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

const EVENT_BEGINS = Buffer.from('{"event":');

/** What was under way may have taken effect. */
export const LOST = { details: { sent: true } } as const;

export class RawLink {
  readonly #socket: Socket;
  readonly #address: BrokerAddress;
  #unanswered = 0;
  #ended = false;
  #closing = false;

  private constructor(socket: Socket, address: BrokerAddress) {
    this.#socket = socket;
    this.#address = address;
  }

  /** Throws CONNECTION. */
  static open(address: BrokerAddress, timeoutMs: number): Promise<RawLink> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ host: address.host, port: address.port, noDelay: true });
      const refuse = (reason: string) => {
        socket.destroy();
        reject(new CliError("CONNECTION", `${brokerText(address)}: ${reason}`));
      };
      socket.setTimeout(timeoutMs, () => refuse(`no connection within ${timeoutMs} ms`));
      socket.once("error", (error: NodeJS.ErrnoException) => refuse(error.code ?? error.message));
      socket.once("connect", () => {
        socket.setTimeout(0);
        socket.removeAllListeners("timeout").removeAllListeners("error");
        // Whoever reads the answers gets the error; before and after that nobody listens, and it must not end the process.
        socket.on("error", () => undefined);
        resolve(new RawLink(socket, address));
      });
    });
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  /** Sends one line; resolves when the next may follow. A blank line is no request. */
  async send(line: Buffer): Promise<void> {
    if (line.every((byte) => byte === 0x20 || byte === 0x09)) return;
    if (!isOneWay(line)) this.#unanswered += 1;
    if (!this.#socket.writable) return;
    const more = this.#socket.write(Buffer.concat([line, Buffer.from("\n")]));
    if (more) return;
    await new Promise<void>((resolve) => {
      const settle = () => {
        this.#socket.off("drain", settle).off("close", settle);
        resolve();
      };
      this.#socket.on("drain", settle).on("close", settle);
    });
  }

  /** No further request will come. */
  end(): void {
    this.#ended = true;
    if (this.#unanswered > 0) return;
    this.#closing = true;
    // Requests that get no answer may still be on their way out.
    this.#socket.destroySoon();
  }

  close(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  /**
   * The answers, and the events of a watch between them, without their newlines, until each request has one or the connection ends. `timeoutMs` bounds the silence
   * while an answer is due; `null` is for ever. Throws TIMEOUT and CONNECTION.
   */
  async *answers(timeoutMs: number | null): AsyncGenerator<Buffer, void, undefined> {
    const framer = new LineFramer(ANSWER_BYTES_MAX);
    let timedOut = false;
    this.#socket.setTimeout(timeoutMs ?? 0, () => {
      timedOut = this.#unanswered > 0;
      if (timedOut) this.close();
    });
    try {
      for await (const chunk of this.#socket) {
        framer.push(chunk);
        for (let line = framer.next(); line !== null; line = framer.next()) {
          if (!isEvent(line)) this.#unanswered -= 1;
          yield line;
        }
        if (this.#ended && this.#unanswered === 0) return;
      }
    } catch (error) {
      if (!this.#closing)
        throw new CliError("CONNECTION", `${brokerText(this.#address)}: ${reasonOf(error)}`, LOST);
    }
    if (timedOut)
      throw new CliError("TIMEOUT", `${brokerText(this.#address)} did not answer within ${timeoutMs} ms`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}

/** What a watch tells answers no request. */
function isEvent(line: Buffer): boolean {
  return line.subarray(0, EVENT_BEGINS.length).equals(EVENT_BEGINS);
}

/** A produce that asked for no answer gets none. */
function isOneWay(line: Buffer): boolean {
  if (!line.includes('"one_way"')) return false;
  try {
    const request: unknown = JSON.parse(line.toString("utf8"));
    if (request === null || typeof request !== "object") return false;
    const noAcks = "acks" in request && (request.acks === "0" || request.acks === 0);
    return noAcks && "one_way" in request && request.one_way === true;
  } catch {
    return false;
  }
}
