/**
 * When a member speaks to its coordinator: by itself in an interval, or when the caller steps it.
 *
 * Owns the loop that keeps the membership alive, and what ended it. Invariants: heartbeats go on while the caller works, and
 * while partitions are let go; what may mend itself is tried again, after a backoff; a refusal ends the loop until the next
 * `subscribe`, and is every poll's.
 */
import { asMiniKafkaError, hasCode, isRetriable, type MiniKafkaError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { backoffMs } from "../../link/backoff.ts";
import type { Session } from "../../session.ts";
import { pause, RETRY_BACKOFF } from "../../waiting.ts";
import { WakeUp } from "../../wake-up.ts";
import type { GroupSettings } from "./group-options.ts";
import type { Membership } from "./membership.ts";

export interface HeartbeatListener {
  /** Follows the membership's view; never rejects. Resolves when that is done. */
  follow(): Promise<void>;
  /** There is trouble, or an end to it. */
  changed(): void;
}

/** A beat, what it finds out, letting go, and being told so, with changes on the way. */
const ROUNDS_PER_STEP_MAX = 8;

export class Heartbeats {
  readonly #session: Session;
  readonly #settings: GroupSettings;
  readonly #membership: Membership;
  readonly #listener: HeartbeatListener;
  readonly #wakeUp = new WakeUp();
  #refusal: MiniKafkaError | null = null;
  #trouble: MiniKafkaError | null = null;
  #isKeeping = false;
  #isHurried = false;

  constructor(
    session: Session,
    settings: GroupSettings,
    membership: Membership,
    listener: HeartbeatListener,
  ) {
    this.#session = session;
    this.#settings = settings;
    this.#membership = membership;
    this.#listener = listener;
  }

  /** What ended the membership. */
  get refusal(): MiniKafkaError | null {
    return this.#refusal;
  }

  /** What the last attempt failed with, and may mend itself. */
  get trouble(): MiniKafkaError | null {
    return this.#trouble;
  }

  /** Whether the last attempt had no answer at all. */
  get isUnanswered(): boolean {
    return hasCode(this.#trouble, "CONNECTION", "TIMEOUT");
  }

  /**
   * Joins, or changes what is subscribed to. Resolves when the coordinator has answered; where heartbeats are stepped, also
   * with its answer followed.
   */
  async subscribe(topics: readonly string[]): Promise<void> {
    const membership = this.#membership;
    const before = membership.topics;
    membership.topics = topics;
    this.#refusal = null;
    try {
      await (this.#settings.autoHeartbeat ? this.#joinPatiently() : membership.join());
    } catch (error) {
      if (membership.view !== null) membership.topics = before;
      else if (!membership.enough.aborted && !isRetriable(error)) this.#refuse(error);
      throw error;
    }
    if (!this.#isKeeping && this.#settings.autoHeartbeat) void this.#keep();
    await this.#follow();
  }

  /** One heartbeat; where heartbeats are stepped, with all that it brings about: what has changed is followed and confirmed. */
  async step(): Promise<void> {
    for (let round = 0; round < ROUNDS_PER_STEP_MAX; round += 1) {
      const beat = await this.#membership.beat();
      await this.#follow();
      if (this.#settings.autoHeartbeat || (beat === "confirmed" && this.#membership.isTold)) return;
    }
  }

  /** Asks for the assignment and follows it, but confirms nothing. */
  async refresh(): Promise<void> {
    await this.#membership.look();
    await this.#follow();
  }

  /** The next heartbeat goes now, where heartbeats go by themselves. */
  hurry(): void {
    this.#isHurried = true;
    this.#wakeUp.now();
  }

  /** Where heartbeats go by themselves, nobody waits: following may last until the caller, who may be asking, is done. */
  async #follow(): Promise<void> {
    const followed = this.#listener.follow();
    if (!this.#settings.autoHeartbeat) await followed;
  }

  /** Until the consumer is closed, or refused. */
  async #keep(): Promise<void> {
    this.#isKeeping = true;
    const { enough } = this.#membership;
    for (let failures = 0; !enough.aborted && this.#refusal === null; ) {
      this.#isHurried = false;
      try {
        const before = this.#membership.view?.generation;
        const beat = await this.#membership.beat();
        failures = 0;
        this.#mended();
        void this.#listener.follow();
        // What was seen is to be confirmed.
        if (beat === "looked" && before !== this.#membership.view?.generation) continue;
      } catch (error) {
        if (enough.aborted) break;
        failures += 1;
        if (isRetriable(error) || this.#isBrokersTrouble(error)) this.#failed(error);
        else this.#refuse(error);
      }
      if (!this.#isHurried && this.#refusal === null)
        await this.#wakeUp.wait(this.#session.clock, this.#delayMs(failures), enough);
    }
    this.#isKeeping = false;
  }

  /** A disk that is full for a while costs no membership before the session is over, and then polls say why. */
  #isBrokersTrouble(error: unknown): boolean {
    if (this.#membership.view === null) return false;
    return hasCode(error, "STORAGE_ERROR", "BROKER_FAILED", "INTERNAL_ERROR");
  }

  async #joinPatiently(): Promise<void> {
    const { clock } = this.#session;
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#membership.join();
        this.#mended();
        return;
      } catch (error) {
        if (this.#membership.enough.aborted || !isRetriable(error)) throw error;
        this.#failed(error);
        await pause(clock, this.#delayMs(failures), this.#membership.enough);
      }
    }
  }

  #delayMs(failures: number): number {
    if (failures > 0) return backoffMs(failures, RETRY_BACKOFF, this.#session.random);
    const { sessionTimeoutMs, view } = this.#membership;
    const third = Math.floor(sessionTimeoutMs / LIMITS.heartbeatsPerSession);
    const most = view?.pending.length === 0 ? third : Math.min(third, LIMITS.heartbeatWhilePendingMs);
    return Math.max(1, Math.min(this.#settings.heartbeatIntervalMs, most));
  }

  #failed(error: unknown): void {
    this.#trouble = asMiniKafkaError(error);
    this.#listener.changed();
  }

  #mended(): void {
    if (this.#trouble === null) return;
    this.#trouble = null;
    this.#listener.changed();
  }

  #refuse(error: unknown): void {
    this.#refusal = asMiniKafkaError(error);
    this.#listener.changed();
  }
}
