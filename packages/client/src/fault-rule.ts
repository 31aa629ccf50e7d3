/** One armed fault: its counts, what it holds, and the wait until it acts. */
import type { ParsedResponse, RequestFields } from "@minikafka/protocol";
import { CALL_OPTIONS } from "./client-options.ts";
import { hasCode, MiniKafkaError } from "./errors.ts";
import type { FaultOrder } from "./fault-order.ts";
import type { CallOptions, Session } from "./session.ts";
import { checkedInteger, requireOptions } from "./usage.ts";

/** How often a fault could have acted, how often it did, and how many it holds. */
export interface FaultCounts {
  readonly hits: number;
  readonly fired: number;
  readonly held: number;
}

/** An armed fault. `await using rule = await faults.arm(…)` disarms it at the end of the block, if its broker has not died with it. */
export class FaultRule implements AsyncDisposable {
  /** Its number at the broker. */
  readonly id: number;
  readonly order: FaultOrder;
  readonly #session: Session;
  /** It was seen to have let the broker die, which has no counts to tell any more. */
  #hasKilled = false;
  /** A broker that has started anew may have given the number to another. */
  readonly #mark: string;

  /** Made by {@link Faults.arm}. */
  constructor(
    session: Session,
    { id, mark }: { readonly id: number; readonly mark: string },
    order: FaultOrder,
  ) {
    this.#session = session;
    this.id = id;
    this.#mark = mark;
    this.order = order;
  }

  /** Fails with USAGE once it is disarmed, or was forgotten by a broker that has ended since. */
  async counts(options?: CallOptions): Promise<FaultCounts> {
    const { rules } = await this.#call("list_faults", {}, options);
    const rule = rules.find(({ rule_id: id, mark }) => id === this.id && mark === this.#mark);
    if (rule === undefined)
      throw new MiniKafkaError("USAGE", `${this.#name} is not armed any more, and its counts are gone`);
    const { hits, fired, held } = rule;
    return { hits, fired, held };
  }

  /** How often it could have acted since it was armed. */
  async hits(options?: CallOptions): Promise<number> {
    return (await this.counts(options)).hits;
  }

  /** How often it acted. */
  async fired(options?: CallOptions): Promise<number> {
    return (await this.counts(options)).fired;
  }

  /** Fails with FAULT_NOT_FIRED when it never acted: a test whose fault stayed silent has tested nothing. */
  async assertFired(options?: CallOptions): Promise<void> {
    if (this.#hasKilled) return;
    const { hits, fired } = await this.counts(options);
    if (fired > 0) return;
    const seen = hits === 1 ? "1 hit" : `${hits} hits`;
    // Who looks at Kafka's clients may think of the operation's own name.
    const others =
      hits === 0 && this.order.point.startsWith("request.")
        ? "; Kafka's clients pass kafka.Produce and the like"
        : "";
    throw new MiniKafkaError("FAULT_NOT_FIRED", `${this.#name} never fired, after ${seen}${others}`, {
      details: { ruleId: this.id, hits },
    });
  }

  /**
   * Resolves once it has acted `count` times: with a hold, once somebody is held; with a crash, once the broker has died in the wait, which
   * nobody is left to tell: when the connection has broken and nobody listens any more. Ends early by `signal`, with CLOSED by the
   * client's end, or with CONNECTION where the connection is lost otherwise. Of a request that is held ask another client than the one that sent it: what is held keeps
   * back what was sent behind it.
   */
  async whenFired(count = 1, options: CallOptions = {}): Promise<void> {
    checkedInteger("count", count, 1);
    requireOptions("whenFired", options, CALL_OPTIONS);
    try {
      await this.#watchFired(count, options);
    } catch (error) {
      if (this.order.action !== "crash" || !isLost(error)) throw error;
      // Of a broker that lives it is told now whether the rule is still there.
      await this.#watchFired(count, options).catch((again: unknown) => {
        if (!this.#isDeath(again)) throw again;
        this.#hasKilled = true;
      });
    }
  }

  async #watchFired(count: number, options: CallOptions): Promise<void> {
    const events = this.#session.watch({ kinds: ["fault_fired"] }, () => null, options.signal);
    // A question that a dead broker leaves open would wait for another one.
    const over = new AbortController();
    const signal =
      options.signal === undefined ? over.signal : AbortSignal.any([options.signal, over.signal]);
    try {
      await events.open();
      for (;;) {
        const told = events.next();
        const fired = await Promise.race([this.fired({ ...options, signal }), told.then(() => 0)]);
        if (fired >= count) return;
        // Of a client that is closed nothing is told any more, and that at once and for ever.
        if ((await told).done === true) throw new MiniKafkaError("CLOSED", "the client is closed");
      }
    } finally {
      over.abort();
      await events.close();
    }
  }

  /** Whoever listened there is gone, or cuts off whoever comes; one in this process says what it has died of. */
  #isDeath(error: unknown): boolean {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      const code = "code" in cause ? cause.code : undefined;
      if (code === "ECONNREFUSED") return true;
      if (code === "CRASHED")
        return cause instanceof MiniKafkaError && cause.details.point === this.order.point;
    }
    return isLost(error);
  }

  /** Lets go what a hold holds; from then on it holds nothing. Resolves with how many were held. */
  async release(options?: CallOptions): Promise<number> {
    return (await this.#call("release_fault", this.#numbered, options)).released;
  }

  /** Forgets it, with its counts, and lets go what it holds. Resolves with whether it was armed. */
  async disarm(options?: CallOptions): Promise<boolean> {
    return (await this.#call("disarm_faults", this.#numbered, options)).disarmed > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.disarm();
    } catch (error) {
      // A broker in this process, which has forgotten it by that.
      if (!hasCode(error, "CRASHED")) throw error;
    }
  }

  /** A client that waits behind its own held request is told so. */
  async #call<Name extends "list_faults" | "release_fault" | "disarm_faults">(
    name: Name,
    fields: RequestFields<Name>,
    options: CallOptions | undefined,
  ): Promise<ParsedResponse<Name>> {
    try {
      return await this.#session.call(name, fields, options);
    } catch (error) {
      if (this.order.action !== "hold" || !hasCode(error, "TIMEOUT")) throw error;
      const why =
        "what is held keeps back what its client sends behind it, so use a second client for faults";
      throw new MiniKafkaError("TIMEOUT", `${error.message}; ${why}`, {
        cause: error,
        details: error.details,
      });
    }
  }

  get #numbered() {
    return { rule_id: this.id, mark: this.#mark };
  }

  get #name(): string {
    return `the fault ${this.id} (${this.order.action} at ${this.order.point})`;
  }
}

/** A connection that was there. */
function isLost(error: unknown): boolean {
  return hasCode(error, "CONNECTION") && error.details.sent === true;
}
