/**
 * Tells a BrokerClock where the broker's clock stands, from its events on.
 *
 * Owns a watch of its own. Invariant: after a connection that was lost the time is asked for again, so that no move is missed for good.
 * Never: a wait on the clock that it moves, which might never end.
 */
import type { WatchedEvent } from "@minikafka/protocol";
import type { BrokerClock } from "./broker-clock.ts";
import { systemClock } from "./clock.ts";
import type { EventStream } from "./event-stream.ts";
import { LIMITS } from "./limits.ts";
import type { Session } from "./session.ts";
import { usageError } from "./usage.ts";
import { pause } from "./waiting.ts";

export class ClockFollower {
  readonly #session: Session;
  readonly #clock: BrokerClock;
  readonly #closing = new AbortController();
  #following: Promise<void> | null = null;

  constructor(session: Session, clock: BrokerClock) {
    this.#session = session;
    this.#clock = clock;
    session.own(this);
  }

  /**
   * Resolves when the clock stands where the broker's does, and every move from then on is heard. Fails with USAGE where the broker's
   * clock goes by itself, and as a watch does.
   */
  async start(): Promise<void> {
    if (this.#following !== null) return;
    const { mode } = await this.#session.call("hello", {});
    if (mode !== "manual")
      throw usageError(
        `the broker's clock is the system's; clock "broker" is for one that is started with --clock manual (in a program, clock: "manual")`,
      );
    this.#following = this.#follow(await this.#watch());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
  }

  /** The time is asked for once moves are told, so that none falls between. */
  async #watch(): Promise<EventStream<number>> {
    const stream = this.#session.watch({ kinds: ["clock_advanced"] }, movedTo, this.#closing.signal);
    await stream.open();
    this.#clock.hear((await this.#session.call("clock", {})).now_ms);
    return stream;
  }

  async #follow(first: EventStream<number>): Promise<void> {
    let stream: EventStream<number> | null = first;
    while (!this.#closing.signal.aborted) {
      try {
        stream ??= await this.#watch();
        for await (const nowMs of stream) this.#clock.hear(nowMs);
      } catch {
        // The broker may come back, and tells again.
        await pause(systemClock, LIMITS.reconnectBackoffMsMax, this.#closing.signal).catch(() => {});
      }
      stream = null;
    }
  }
}

function movedTo(event: WatchedEvent): number {
  return Number(event.to_ms);
}
