/**
 * Standard output, where only data goes.
 *
 * Owns the knowledge whether anybody still reads. Never buffers beyond what the stream asks for: `write` resolves once
 * there is room again, so a slow reader slows the command down instead of filling its memory. A reader that went away
 * (EPIPE) is not an error; the next write throws {@link OutputClosed}. A stream that fails otherwise (a full disk) is one, which `write` or
 * `flushed` throws, whether it fails at once, as a file does, or later.
 */
import type { Writable } from "node:stream";
import { OutputClosed } from "../failure.ts";
import { printable } from "./printable.ts";

export type OutputStream = Writable & { readonly isTTY?: boolean };

export class DataSink {
  readonly isTerminal: boolean;
  readonly #stream: OutputStream;
  #closed = false;
  #failure: Error | null = null;

  constructor(stream: OutputStream) {
    this.#stream = stream;
    this.isTerminal = stream.isTTY === true;
    stream.on("error", (error: NodeJS.ErrnoException) => this.#failed(error));
    stream.on("close", () => {
      this.#closed = true;
    });
  }

  /** False once the reader has gone. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  /** Calls `listener` when the reader goes away, at once if it has gone. */
  onClosed(listener: () => void): void {
    if (this.#closed) listener();
    else this.#stream.once("close", listener).once("error", listener);
  }

  /** Resolves when more may be written. Throws {@link OutputClosed}, or the stream's error (a full disk). */
  async write(data: string | Uint8Array): Promise<void> {
    this.#requireOpen();
    if (data.length === 0) return;
    if (!this.#take(data)) await this.#drained();
    this.#requireOpen();
  }

  /** A line of text, and no more than one, whatever the names in it hold. */
  line(text: string): Promise<void> {
    return this.write(`${printable(text)}\n`);
  }

  /** One JSON document on one line. */
  json(document: unknown): Promise<void> {
    return this.write(`${JSON.stringify(document)}\n`);
  }

  /** Resolves when all that was written has left this process, or when nobody reads. Throws the stream's error. */
  async flushed(): Promise<void> {
    if (!this.#closed) {
      await new Promise<void>((resolve) => {
        this.onClosed(resolve);
        this.#take("", () => resolve());
      });
    }
    if (this.#failure !== null) throw this.#failure;
  }

  /** Whether more may follow. */
  #take(data: string | Uint8Array, taken?: () => void): boolean {
    try {
      return this.#stream.write(data, taken);
    } catch (error) {
      this.#failed(error as NodeJS.ErrnoException);
      taken?.();
      return true;
    }
  }

  #failed(error: NodeJS.ErrnoException): void {
    this.#closed = true;
    if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") this.#failure ??= error;
  }

  #requireOpen(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#closed) throw new OutputClosed("standard output is closed");
  }

  #drained(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = () => {
        this.#stream.off("drain", settle).off("close", settle).off("error", settle);
        resolve();
      };
      this.#stream.on("drain", settle).on("close", settle).on("error", settle);
    });
  }
}
