/**
 * The broker's clock and its background work, for experiments that step them. The broker answers STEPPING_DISABLED unless
 * it runs with --lab, or with a manual clock.
 */
import type { CallOptions, Session } from "./session.ts";

export class Stepper {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The broker's time, in milliseconds since 1970, without moving it. */
  async clock(options?: CallOptions): Promise<number> {
    return (await this.#session.call("clock", {}, options)).now_ms;
  }

  /** Moves a manual clock of the broker on by `ms` and does nothing else. Returns its new time. */
  async advanceClock(ms: number, options?: CallOptions): Promise<number> {
    return (await this.#session.call("advance_clock", { ms }, options)).now_ms;
  }

  /** Makes everything durable that was appended before. */
  async flushLogs(options?: CallOptions): Promise<void> {
    await this.#session.call("flush_logs", {}, options);
  }
}
