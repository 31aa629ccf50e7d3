/**
 * A request between its call and its end. Owns its promise and what has to be undone when it ends (timer, listener).
 * Settles once: an answer that comes after a timeout or an abort is dropped.
 */
import type { JsonObject } from "@minikafka/protocol";
import type { RequestContent } from "./request-line.ts";

export interface RequestOptions {
  /** Counted from the call, waiting for a connection included. */
  readonly timeoutMs: number;
  /** No answer will come: the request is done when it is handed to the link. */
  readonly oneWay?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class PendingRequest {
  readonly content: RequestContent;
  readonly oneWay: boolean;
  readonly promise: Promise<JsonObject>;
  /** Whether it was written to a link: from then on its effect is known from an answer alone. */
  sent = false;
  lineBytes = 0;
  #settled = false;
  #resolve!: (fields: JsonObject) => void;
  #reject!: (error: unknown) => void;
  readonly #undo: (() => void)[] = [];

  constructor(content: RequestContent, oneWay: boolean) {
    this.content = content;
    this.oneWay = oneWay;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Runs `undo` when the request ends, however it ends. */
  whenSettled(undo: () => void): void {
    this.#undo.push(undo);
  }

  succeed(fields: JsonObject): void {
    if (this.#settle()) this.#resolve(fields);
  }

  /** `error` is what the caller sees: one of ours, or the reason of an abort. */
  fail(error: unknown): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    for (const undo of this.#undo) undo();
    return true;
  }
}
