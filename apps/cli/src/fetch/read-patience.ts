/**
 * How long a reading command waits: for records, when --timeout says so, and for a broker that is out of reach.
 *
 * Owns when the last record came and since when there is trouble. Invariant: trouble is told once, when it begins.
 */
import type { Context } from "../context.ts";
import { CliError, type Failure } from "../failure.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";

const POLL_MS = 500;

export class ReadPatience {
  readonly #context: Context;
  readonly #troubleMsMax: number;
  #lastRecordMs = performance.now();
  #troubleSinceMs: number | null = null;

  constructor(context: Context) {
    this.#context = context;
    this.#troubleMsMax = context.settings.timeoutMs ?? TIMEOUT_DEFAULT_MS;
  }

  /** How long one poll may take. */
  get pollMs(): number {
    const { timeoutMs } = this.#context.settings;
    if (timeoutMs === null) return POLL_MS;
    const leftMs = this.#lastRecordMs + timeoutMs - performance.now();
    return Math.ceil(Math.min(POLL_MS, Math.max(1, leftMs)));
  }

  /** A poll has brought `records`. Throws TIMEOUT when none came for as long as --timeout says. */
  polled(records: number, isConnected: boolean): void {
    if (records > 0 || isConnected) this.#troubleSinceMs = null;
    if (records > 0) this.#lastRecordMs = performance.now();
    else this.#requireRecords();
  }

  /** A poll has failed with what may mend itself. Throws `error` when it has not for too long. */
  failed(error: unknown, { message }: Failure): void {
    const nowMs = performance.now();
    if (this.#troubleSinceMs === null) this.#context.notes.remark(`${message}; trying again`);
    this.#troubleSinceMs ??= nowMs;
    if (nowMs - this.#troubleSinceMs >= this.#troubleMsMax) throw error;
  }

  #requireRecords(): void {
    const { timeoutMs } = this.#context.settings;
    // While the broker is out of reach, that is the trouble, and not that it has nothing new.
    if (timeoutMs === null || this.#troubleSinceMs !== null) return;
    if (performance.now() - this.#lastRecordMs < timeoutMs) return;
    throw new CliError("TIMEOUT", `no record came within ${timeoutMs} ms`, {
      hint: "--timeout 60s waits longer, none waits for ever; -e stops at the end instead of waiting",
    });
  }
}
