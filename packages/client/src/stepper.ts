/**
 * The broker's clock and its background work, for experiments that step them. The broker answers STEPPING_DISABLED unless
 * it runs with --lab, or with a manual clock.
 */
import type { ParsedResponse } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import type { CallOptions, Session } from "./session.ts";

export type CompactedLog = CamelCased<ParsedResponse<"compact">["compacted"][number]>;

/** Producers that one replica has forgotten. */
export type ForgottenProducers = CamelCased<ParsedResponse<"expire_producers">["expired"][number]>;

/** Which logs a step is for. */
export interface StepScope extends CallOptions {
  /** Default: all topics. */
  readonly topic?: string | undefined;
}

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

  /** Takes one pass of compaction over each log in which enough has gathered, and says what it did. */
  async compact({ topic, ...options }: StepScope = {}): Promise<readonly CompactedLog[]> {
    return camelCased((await this.#session.call("compact", scope(topic), options)).compacted);
  }

  /**
   * Lets every replica forget the idempotent producers that it heard nothing of for a day, and says which. A retry of theirs is
   * not known any more; their ids stay theirs.
   */
  async expireProducers(options?: CallOptions): Promise<readonly ForgottenProducers[]> {
    return camelCased((await this.#session.call("expire_producers", {}, options)).expired);
  }

  /** Makes everything durable that was appended before. */
  async flushLogs(options?: CallOptions): Promise<void> {
    await this.#session.call("flush_logs", {}, options);
  }
}

function scope(topic: string | undefined): { topic?: string } {
  return topic === undefined ? {} : { topic };
}
