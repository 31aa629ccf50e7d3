/** A bare session, as with `nc`: bytes out, lines in. Knows nothing of the SDK. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export type Answer = { readonly ok: boolean } & { readonly [name: string]: unknown };

export class RawSession {
  readonly socket: Socket;
  readonly #lines: AsyncIterator<string>;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    this.#lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })[
      Symbol.asyncIterator
    ]();
  }

  static async open(port: number): Promise<RawSession> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    onTestFinished(() => {
      socket.destroy();
    });
    return new RawSession(socket);
  }

  /** Sends bytes or text as they are. */
  send(bytes: Buffer | string): void {
    this.socket.write(bytes);
  }

  /** The next answer, or `null` once the broker has closed or is gone. */
  async answer(): Promise<Answer | null> {
    const next = await this.#lines.next().catch(() => ({ done: true, value: null }) as const);
    return next.done === true ? null : (JSON.parse(next.value) as Answer);
  }

  /** Sends one request line and returns the next answer. */
  async ask(request: object | string): Promise<Answer | null> {
    this.send(`${typeof request === "string" ? request : JSON.stringify(request)}\n`);
    return this.answer();
  }
}
