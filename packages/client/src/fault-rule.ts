/** One armed fault: its counts, what it holds, and the wait until it acts. */
import type { ParsedResponse, RequestFields } from "@minikafka/protocol";
import { requireCallOptions } from "./client-options.ts";
import { hasCode, MiniKafkaError } from "./errors.ts";
import { FaultLookout } from "./fault-lookout.ts";
import type { FaultOrder } from "./fault-order.ts";
import { askedBeside, untilAskedAgain } from "./fault-question.ts";
import {
  BEHIND_HOLD,
  noHold,
  notArmed,
  notFired,
  requireReachable,
  tooLate,
  uncounted,
} from "./fault-refusals.ts";
import type { FaultSight, FaultWatch } from "./fault-watch.ts";
import { type FaultWatches, faultWatchesOf, type WatchLease } from "./fault-watches.ts";
import type { CallOptions, Session } from "./session.ts";
import { checkedInteger } from "./usage.ts";
import { limitOf } from "./waiting.ts";

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
  readonly #watches: FaultWatches;
  readonly #lookout: FaultLookout;
  /** Of a crash, as a broker in a test's own process has told them after it. */
  #countsAtDeath: FaultCounts | null = null;
  /** A broker that has started anew may have given the number to another. */
  readonly #mark: string;

  /** Made by {@link Faults.arm}. */
  constructor(
    session: Session,
    { id, mark }: { readonly id: number; readonly mark: string },
    order: FaultOrder,
    watches = faultWatchesOf(session, order.action),
    witness: WatchLease | null = null,
  ) {
    this.#session = session;
    this.#watches = watches;
    this.id = id;
    this.#mark = mark;
    this.order = order;
    this.#lookout = new FaultLookout(this, session, watches, witness);
  }

  /**
   * Fails with USAGE once it is disarmed, or was forgotten by a broker that has ended since. Of a crash that was seen to kill its broker
   * they stay what they were then; with any other end of that broker they are gone: CONNECTION. With TIMEOUT once `timeoutMs` is over
   * (default: the client's requestTimeoutMs), however often it is asked again meanwhile.
   */
  async counts(options: CallOptions = {}): Promise<FaultCounts> {
    requireCallOptions("counts", options);
    const seen = this.#countsOfCrash();
    if (seen !== null) return seen;
    if (!this.#lookout.isKept) return this.#ask(options);
    const { timeoutMs = this.#session.requestTimeoutMs } = options;
    const limit = limitOf(this.#session.clock, { ...options, timeoutMs }, () => uncounted(this, timeoutMs));
    const { signal } = limit;
    const asking = (asked: CallOptions) => this.#ask(asked);
    const watching = async (watch: FaultWatch) =>
      (await askedBeside(this.#crash(watch), asking, { signal })) ?? countsOf(watch.of(this.#mark));
    try {
      return await this.#lookout.find({ watching, asking }, signal);
    } catch (error) {
      // Of a broker in a test's own process the counts are there after its death, and it is told there that it has ended on purpose.
      if (hasCode(error, "CRASHED") || hasCode(error, "CLOSED")) return await this.#ask({ signal });
      throw error;
    } finally {
      limit.end();
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
    throw notFired(this, hits);
  }

  /**
   * Resolves once it has acted `count` times: with a hold, once somebody is held; with a crash, which comes once, when the broker was seen
   * to die of this very fault. Ends early by `signal`; with TIMEOUT once `timeoutMs` is over, which bounds the whole wait and for which
   * there is no default; with USAGE where it is disarmed, or never acts so often; with CLOSED by the client's end; with CONNECTION, or
   * SHUTTING_DOWN, where the broker goes and the fault was not seen to act so often. Of a request that is held ask another client than the one that sent it:
   * what is held keeps back what was sent behind it.
   */
  async whenFired(count = 1, options: CallOptions = {}): Promise<void> {
    requireReachable(this, checkedInteger("count", count, 1));
    requireCallOptions("whenFired", options);
    if (this.#countsOfCrash() !== null) return;
    let counts: FaultCounts | null = null;
    const limit = limitOf(this.#session.clock, options, (timeoutMs) =>
      tooLate(this, count, timeoutMs, counts),
    );
    const { signal } = limit;
    const ask = async (asked: CallOptions): Promise<FaultCounts> => {
      counts = await this.#ask(asked);
      return counts;
    };
    const watching = async (watch: FaultWatch) => {
      await this.#untilFired(watch, count, ask, signal);
      return true;
    };
    const asking = async (asked: CallOptions) => (await ask(asked)).fired >= count || null;
    try {
      await this.#lookout.find({ watching, asking }, signal);
    } catch (error) {
      // Of a broker in a test's own process the counts are there after its death.
      if (!hasCode(error, "CRASHED") || (await this.fired({ signal })) < count) throw error;
    } finally {
      limit.end();
    }
  }

  /** Lets go what a hold holds; from then on it holds nothing. Resolves with how many were held. Fails with USAGE as `counts` does, and for what is no hold. */
  async release(options: CallOptions = {}): Promise<number> {
    requireCallOptions("release", options);
    if (this.order.action !== "hold") throw noHold(this);
    try {
      return (await this.#call("release_fault", this.#numbered, options)).released;
    } catch (error) {
      throw hasCode(error, "INVALID_REQUEST") ? notArmed(this) : error;
    }
  }

  /** Forgets it, with its counts, and lets go what it holds. Resolves with whether it was armed. */
  async disarm(options: CallOptions = {}): Promise<boolean> {
    requireCallOptions("disarm", options);
    // It has died of it; one that was started since may have it again, by a snapshot.
    if (this.#countsOfCrash() !== null && !(await this.#lookout.outlives(this.#mark, options))) return false;
    // What fails may have left it armed: then it is watched on.
    const { disarmed } = await this.#call("disarm_faults", this.#numbered, options);
    this.#watches.disarmed();
    await this.#lookout.leave();
    return disarmed > 0;
  }

  /** Where the client is closed before, it stays armed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.disarm().catch((problem: unknown) => {
      if (!hasCode(problem, "CLOSED")) throw problem;
    });
  }

  async #untilFired(
    watch: FaultWatch,
    count: number,
    ask: (options: CallOptions) => Promise<FaultCounts>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const before = watch.of(this.#mark).fired;
    for (let isFirst = true; watch.of(this.#mark).fired - before < count; isFirst = false) {
      const changed = watch.changed();
      const counts = await askedBeside(changed, ask, { signal }).catch((error: unknown) => {
        // Who has once been answered waits: something else may be held before the question.
        if (isFirst || signal?.aborted === true || !hasCode(error, "TIMEOUT")) throw error;
        return null;
      });
      if (counts !== null && counts.fired >= count) return;
      await untilAskedAgain(this.#session.clock, changed, signal);
    }
  }

  /** Resolves once this has let the broker die. */
  async #crash(watch: FaultWatch): Promise<void> {
    while (watch.of(this.#mark).fired === 0) await watch.changed();
  }

  /** Of a crash that is known to have come; else `null`. */
  #countsOfCrash(): FaultCounts | null {
    const sight = this.#lookout.sight(this.#mark);
    return sight === null || sight.fired === 0 ? this.#countsAtDeath : countsOf(sight);
  }

  async #ask(options: CallOptions): Promise<FaultCounts> {
    const { rules } = await this.#call("list_faults", {}, options);
    const rule = rules.find(({ rule_id: id, mark }) => id === this.id && mark === this.#mark);
    if (rule === undefined) {
      await this.#lookout.leave();
      throw notArmed(this);
    }
    const { hits, fired, held } = rule;
    const counts = { hits, fired, held };
    if (fired > 0 && this.order.action === "crash") this.#countsAtDeath = counts;
    return counts;
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
      if (error.message.endsWith(BEHIND_HOLD)) throw error;
      throw new MiniKafkaError("TIMEOUT", `${error.message}; ${BEHIND_HOLD}`, {
        cause: error,
        details: error.details,
      });
    }
  }

  get #numbered() {
    return { rule_id: this.id, mark: this.#mark };
  }
}

/** Of a crash that was seen. */
function countsOf({ fired, lastHit }: FaultSight): FaultCounts {
  return { hits: lastHit, fired, held: 0 };
}
