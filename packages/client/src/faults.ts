/**
 * Faults that one arms on purpose, to see what a client, or a broker, makes of them; and the proof that they acted. They need a
 * broker with --lab or a manual clock (else STEPPING_DISABLED), which forgets them when it ends.
 */
import type { KernelFaultPointName, OperationName, ParsedResponse, RequestFields } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import { CALL_OPTIONS } from "./client-options.ts";
import { hasCode, MiniKafkaError } from "./errors.ts";
import type { CallOptions, Session } from "./session.ts";
import { checkedInteger, fieldNames, requireOptions } from "./usage.ts";

/** The way of a request, before it takes effect. Those of faults themselves have no point. */
export type RequestFaultPoint = `request.${Exclude<
  OperationName,
  | ("list_faults" | "arm_fault" | "disarm_faults" | "release_fault" | "crash")
  | (
      | "read_history"
      | "save_snapshot"
      | "load_snapshot"
      | "list_snapshots"
      | "delete_snapshot"
      | "diff_snapshots"
    )
>}`;

/** At a request, or a named point of the kernel. A newer broker may have others: the last member keeps completion for these. */
export type FaultPointName = RequestFaultPoint | KernelFaultPointName | (string & Record<never, never>);

type WireOrder = RequestFields<"arm_fault">;

/**
 * "error": it is not done, and fails. "delay" and "hold": it is done later. "drop_answer": it is done, and never answered.
 * "close": the connection is closed, and it is not done. "close_after": it is done, and the connection closed in place of the answer.
 * "crash": the process dies. `list` says which of them a point takes.
 */
export type FaultAction = WireOrder["action"];

/** Which hits it acts on, counted from 1 since it was armed. */
export type FaultTimes = NonNullable<WireOrder["times"]>;

/** What is armed. What makes no sense beside point and action is refused with INVALID_REQUEST, which says what does. */
export interface FaultOrder {
  readonly point: FaultPointName;
  readonly action: FaultAction;
  /** Default "once". */
  readonly times?: FaultTimes | undefined;
  /** Of an error at a request: the answer's code, which is required there. */
  readonly code?: WireOrder["code"];
  /** Of an error in the kernel. Default EIO. */
  readonly errno?: "EIO" | "ENOSPC" | undefined;
  /** Of an error where bytes are written: so many are, before it fails. */
  readonly bytesWritten?: number | undefined;
  /** Of a delay: for how long, on the broker's clock. */
  readonly delayMs?: number | undefined;
  readonly topic?: string | undefined;
  readonly partition?: number | undefined;
  readonly brokerId?: number | undefined;
  readonly groupId?: string | undefined;
  readonly transactionalId?: string | undefined;
}

/** All points with the actions that they take, and what is armed. */
export type FaultListing = CamelCased<ParsedResponse<"list_faults">>;
/** An armed fault with its counts. */
export type ListedFault = FaultListing["rules"][number];

/** How often a fault could have acted, how often it did, and how many it holds. */
export interface FaultCounts {
  readonly hits: number;
  readonly fired: number;
  readonly held: number;
}

/** An armed fault. `await using rule = await faults.arm(…)` disarms it at the end of the block. */
export class FaultRule implements AsyncDisposable {
  /** Its number at the broker. */
  readonly id: number;
  readonly order: FaultOrder;
  readonly #session: Session;

  /** Made by {@link Faults.arm}. */
  constructor(session: Session, id: number, order: FaultOrder) {
    this.#session = session;
    this.id = id;
    this.order = order;
  }

  /** Fails with USAGE once it is disarmed, or was forgotten by a broker that has ended since. */
  async counts(options?: CallOptions): Promise<FaultCounts> {
    const { rules } = await this.#call("list_faults", {}, options);
    const rule = rules.find(({ rule_id: id }) => id === this.id);
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
    const { hits, fired } = await this.counts(options);
    if (fired > 0) return;
    const seen = hits === 1 ? "1 hit" : `${hits} hits`;
    throw new MiniKafkaError("FAULT_NOT_FIRED", `${this.#name} never fired, after ${seen}`, {
      details: { ruleId: this.id, hits },
    });
  }

  /**
   * Resolves once it has acted `count` times: with a hold, once somebody is held. Ends early by `signal` alone. Of a request that is
   * held ask another client than the one that sent it: what is held keeps back what was sent behind it.
   */
  async whenFired(count = 1, options: CallOptions = {}): Promise<void> {
    checkedInteger("count", count, 1);
    requireOptions("whenFired", options, CALL_OPTIONS);
    const events = this.#session.watch({ kinds: ["fault_fired"] }, () => null, options.signal);
    try {
      await events.open();
      while ((await this.fired(options)) < count) await events.next();
    } finally {
      await events.close();
    }
  }

  /** Lets go what a hold holds; from then on it holds nothing. Resolves with how many were held. */
  async release(options?: CallOptions): Promise<number> {
    return (await this.#call("release_fault", { rule_id: this.id }, options)).released;
  }

  /** Forgets it, with its counts, and lets go what it holds. Resolves with whether it was armed. */
  async disarm(options?: CallOptions): Promise<boolean> {
    return (await this.#call("disarm_faults", { rule_id: this.id }, options)).disarmed > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disarm();
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

  get #name(): string {
    return `the fault ${this.id} (${this.order.action} at ${this.order.point})`;
  }
}

/** Faults that are armed on purpose (Kafka has none). Made by `client.faults()`. */
export class Faults {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** It acts from when this resolves. Fails with INVALID_REQUEST for what cannot be, saying what can. */
  async arm(order: FaultOrder, options?: CallOptions): Promise<FaultRule> {
    requireOptions("a fault", order, ORDER_FIELDS);
    const answer = await this.#session.call("arm_fault", wireOrder(order), options);
    return new FaultRule(this.#session, answer.rule_id, order);
  }

  /** All points with the actions that they take, which any broker tells, and what is armed, oldest first. */
  async list(options?: CallOptions): Promise<FaultListing> {
    return camelCased(await this.#session.call("list_faults", {}, options));
  }

  /** Resolves with how many there were. */
  async disarmAll(options?: CallOptions): Promise<number> {
    return (await this.#session.call("disarm_faults", {}, options)).disarmed;
  }

  /** Has the broker's process die at once, as by SIGKILL. Resolves when the connection has broken for it. */
  async crash(options?: CallOptions): Promise<void> {
    try {
      await this.#session.call("crash", {}, options);
    } catch (error) {
      if (hasCode(error, "CONNECTION") && error.details.sent === true) return;
      throw error;
    }
  }
}

const ORDER_FIELDS = fieldNames<FaultOrder>({
  point: true,
  action: true,
  times: true,
  code: true,
  errno: true,
  bytesWritten: true,
  delayMs: true,
  topic: true,
  partition: true,
  brokerId: true,
  groupId: true,
  transactionalId: true,
});

function wireOrder(order: FaultOrder): WireOrder {
  const { bytesWritten, delayMs, brokerId, groupId, transactionalId, ...same } = order;
  return {
    ...same,
    bytes_written: bytesWritten,
    delay_ms: delayMs,
    broker_id: brokerId,
    group_id: groupId,
    transactional_id: transactionalId,
  };
}
