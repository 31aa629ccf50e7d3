/** One armed fault: its counts, what it holds, and the wait until it acts. */
import type { ParsedResponse, RequestFields } from "@minikafka/protocol";
import { CALL_OPTIONS } from "./client-options.ts";
import { hasCode, MiniKafkaError } from "./errors.ts";
import type { FaultOrder } from "./fault-order.ts";
import { askedBeside, FaultWatch, openFaultEvents } from "./fault-watch.ts";
import type { CallOptions, Session } from "./session.ts";
import { checkedInteger, requireOptions, usageError } from "./usage.ts";
import { untilAborted } from "./waiting.ts";

/** How often a fault could have acted, how often it did, and how many it holds. */
export interface FaultCounts {
  readonly hits: number;
  readonly fired: number;
  readonly held: number;
}

/** An armed fault. `await using rule = await faults.arm(…)` disarms it at the end of the block, unless its broker was seen to die of it. */
export class FaultRule implements AsyncDisposable {
  /** Its number at the broker. */
  readonly id: number;
  readonly order: FaultOrder;
  readonly #session: Session;
  /** Of a crash, since before it was armed: nobody is left to be asked afterwards. */
  readonly #witness: FaultWatch | null;
  /** Of a crash, as a broker in a test's own process has told them after it. */
  #countsAtDeath: FaultCounts | null = null;
  /** A broker that has started anew may have given the number to another. */
  readonly #mark: string;

  /** Made by {@link Faults.arm}. */
  constructor(
    session: Session,
    { id, mark }: { readonly id: number; readonly mark: string },
    order: FaultOrder,
    witness: FaultWatch | null = null,
  ) {
    this.#session = session;
    this.#witness = witness;
    this.id = id;
    this.#mark = mark;
    this.order = order;
  }

  /**
   * Fails with USAGE once it is disarmed, or was forgotten by a broker that has ended since. Of a crash that was seen to kill its broker
   * they stay what they were then; with any other end of that broker they are gone: CONNECTION.
   */
  async counts(options: CallOptions = {}): Promise<FaultCounts> {
    requireOptions("counts", options, CALL_OPTIONS);
    const witness = this.#witness;
    const seen = this.#countsOfCrash();
    if (seen !== null) return seen;
    if (witness === null || witness.isOver) return this.#ask(options);
    try {
      const ask = (asked: CallOptions) => this.#ask(asked);
      return (await askedBeside(this.#crash(witness), ask, options)) ?? (await this.counts(options));
    } catch (error) {
      // Of a broker in a test's own process the counts are there after its death.
      if (!hasCode(error, "CRASHED")) throw error;
      return this.#ask(options);
    }
  }

  /** How often it could have acted since it was armed. */
  async hits(options?: CallOptions): Promise<number> {
    return (await this.counts(options)).hits;
  }

  /** How often it acted. */
  async fired(options?: CallOptions): Promise<number> {
    return (await this.counts(options)).fired;
  }

  /**
   * Fails with FAULT_NOT_FIRED when it never acted: a test whose fault stayed silent has tested nothing. Otherwise as `counts`: also of a
   * broker that has died only what was seen of this very fault proves anything.
   */
  async assertFired(options?: CallOptions): Promise<void> {
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
   * Resolves once it has acted `count` times: with a hold, once somebody is held; with a crash, which comes once, when the broker was seen
   * to die of this very fault. Ends early by `signal`; with CLOSED by the client's end; with CONNECTION, or SHUTTING_DOWN, where the
   * broker goes and the fault was not seen to act so often. Of a request that is held ask another client than the one that sent it:
   * what is held keeps back what was sent behind it.
   */
  async whenFired(count = 1, options: CallOptions = {}): Promise<void> {
    if (checkedInteger("count", count, 1) > 1 && this.order.action === "crash")
      throw usageError(`count is ${count}; a broker dies of a crash once, which whenFired() waits for`);
    requireOptions("whenFired", options, CALL_OPTIONS);
    const witness = this.#witness;
    if (this.#countsOfCrash() !== null) return;
    try {
      if (witness?.isOver === false) await this.#untilFired(witness, count, options);
      else {
        const events = await openFaultEvents(this.#session, { signal: options.signal });
        const watch = new FaultWatch(events, this.id);
        await this.#untilFired(watch, count, options).finally(() => watch.close());
      }
    } catch (error) {
      // Of a broker in a test's own process the counts are there after its death.
      if (!hasCode(error, "CRASHED") || (await this.fired(options)) < count) throw error;
    }
  }

  /** Lets go what a hold holds; from then on it holds nothing. Resolves with how many were held. */
  async release(options?: CallOptions): Promise<number> {
    return (await this.#call("release_fault", this.#numbered, options)).released;
  }

  /** Forgets it, with its counts, and lets go what it holds. Resolves with whether it was armed. */
  async disarm(options?: CallOptions): Promise<boolean> {
    if (this.#countsOfCrash() !== null) return false;
    try {
      return (await this.#call("disarm_faults", this.#numbered, options)).disarmed > 0;
    } finally {
      await this.#witness?.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disarm();
  }

  async #untilFired(watch: FaultWatch, count: number, options: CallOptions): Promise<void> {
    const ask = (asked: CallOptions) => this.fired(asked);
    try {
      while (watch.seen < count) {
        const changed = watch.changed();
        const fired = await askedBeside(changed, ask, options);
        if (fired !== null && fired >= count) return;
        await untilAborted(changed, options.signal);
      }
    } catch (error) {
      throw hasCode(error, "CONNECTION") ? this.#unseen(error) : error;
    }
  }

  /** Resolves once this has let the broker die. */
  async #crash(witness: FaultWatch): Promise<void> {
    try {
      while (witness.seen === 0) await witness.changed();
    } catch (error) {
      throw hasCode(error, "CONNECTION") ? this.#unseen(error) : error;
    }
  }

  /** Of a crash that is known to have come; else `null`. */
  #countsOfCrash(): FaultCounts | null {
    const { seen: fired = 0, lastHit: hits = 0 } = this.#witness ?? {};
    return fired === 0 ? this.#countsAtDeath : { hits, fired, held: 0 };
  }

  async #ask(options: CallOptions): Promise<FaultCounts> {
    const { rules } = await this.#call("list_faults", {}, options);
    const rule = rules.find(({ rule_id: id, mark }) => id === this.id && mark === this.#mark);
    if (rule === undefined)
      throw new MiniKafkaError("USAGE", `${this.#name} is not armed any more, and its counts are gone`);
    const { hits, fired, held } = rule;
    const counts = { hits, fired, held };
    if (fired > 0 && this.order.action === "crash") this.#countsAtDeath = counts;
    return counts;
  }

  #unseen(lost: MiniKafkaError): MiniKafkaError {
    const message = `${this.#name} was not seen to act before its broker went: ${lost.message}`;
    return new MiniKafkaError("CONNECTION", message, { details: lost.details, cause: lost });
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
