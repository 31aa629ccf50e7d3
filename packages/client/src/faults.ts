/**
 * Faults that one arms on purpose, to see what a client, or a broker, makes of them; and the proof that they acted. They need a
 * broker with --lab or a manual clock (else STEPPING_DISABLED), which forgets them when it ends.
 */
import type { ParsedResponse } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import { requireCallOptions } from "./client-options.ts";
import { hasCode, MiniKafkaError } from "./errors.ts";
import { type FaultOrder, ORDER_FIELDS, wireOrder } from "./fault-order.ts";
import { FaultRule } from "./fault-rule.ts";
import { faultWatchesOf } from "./fault-watches.ts";
import type { CallOptions, Session } from "./session.ts";
import { requireOptions } from "./usage.ts";

/** All points with the actions that they take, and what is armed. */
export type FaultListing = CamelCased<ParsedResponse<"list_faults">>;
/** An armed fault with its counts. */
export type ListedFault = FaultListing["rules"][number];

/** Faults that are armed on purpose (Kafka has none). Made by `client.faults()`. */
export class Faults {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * It acts from when this resolves. Fails with INVALID_REQUEST for what cannot be, saying what can. Crashes are watched for, all over
   * one connection of their own, until they have come or are disarmed, by their rule or `disarmAll`, or the client is closed.
   */
  async arm(order: FaultOrder, options: CallOptions = {}): Promise<FaultRule> {
    requireOptions("a fault", order, ORDER_FIELDS);
    requireCallOptions("arm", options);
    // A broker that dies of it must have told somebody by then.
    const watches = faultWatchesOf(this.#session, order.action);
    const witness = order.action === "crash" ? await watches.take(options) : null;
    const mark = watches.newMark();
    try {
      const { rule_id: id } = await this.#session.call("arm_fault", { ...wireOrder(order), mark }, options);
      return new FaultRule(this.#session, { id, mark }, order, watches, witness);
    } catch (refusal) {
      await witness?.leave();
      throw inCalls(refusal);
    }
  }

  /** All points with the actions that they take, which any broker tells, and what is armed, oldest first. */
  async list(options: CallOptions = {}): Promise<FaultListing> {
    requireCallOptions("list", options);
    return camelCased(await this.#session.call("list_faults", {}, options));
  }

  /** Resolves with how many there were. */
  async disarmAll(options: CallOptions = {}): Promise<number> {
    requireCallOptions("disarmAll", options);
    // Not those that are armed behind it.
    const crashes = faultWatchesOf(this.#session, "crash");
    const { witnesses } = crashes;
    const { disarmed } = await this.#session.call("disarm_faults", {}, options);
    crashes.disarmed();
    faultWatchesOf(this.#session, "error").disarmed();
    await Promise.all(witnesses.map((witness) => witness.leave()));
    return disarmed;
  }

  /** Has the broker's process die at once, as by SIGKILL. Resolves when the connection has broken for it. */
  async crash(options: CallOptions = {}): Promise<void> {
    requireCallOptions("crash", options);
    try {
      await this.#session.call("crash", {}, options);
    } catch (error) {
      if (hasCode(error, "CONNECTION") && error.details.sent === true) return;
      throw error;
    }
  }
}

/** The broker speaks of its protocol's operations. */
function inCalls(refusal: unknown): unknown {
  if (!hasCode(refusal, "INVALID_REQUEST")) return refusal;
  const message = refusal.message.replace("list_faults names all points", "list() names all points");
  return new MiniKafkaError(refusal.code, message, { details: refusal.details, cause: refusal });
}
