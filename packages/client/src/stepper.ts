/** The broker's clock, for experiments that step it. The broker answers STEPPING_DISABLED unless it runs with --lab. */
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
}
