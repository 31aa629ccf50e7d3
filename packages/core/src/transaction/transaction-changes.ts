/**
 * How an event becomes a change of its transactional id: judged by the newest state, written as one record, answered once that
 * record, and all before it, are acknowledged.
 *
 * Invariant: a refused event, and one whose record the log refused, leave the id as it was.
 * Never: an answer that a crash or a promotion could take back, nor a refusal.
 */
import type { Decision } from "../coordinator/coordinator-shard.ts";
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { answeringForDisk, answeringForDiskLater } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import type { FaultSite } from "../env/fault-order.ts";
import type { FaultPoint } from "../env/fault-point.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { TransactionEvent } from "./transaction-events.ts";
import type { TransactionKeeper, TransactionKinds } from "./transaction-keeper.ts";
import { transactionRecord } from "./transaction-record.ts";
import { tooManyTransactionalIds } from "./transaction-refusals.ts";
import type { Transaction } from "./transaction-state.ts";
import { eventOf, type TransactionChange } from "./transaction-trace.ts";
import { after } from "./transitions.ts";

export interface TransactionChangesParts {
  readonly topic: CoordinatorTopic<TransactionKinds>;
  /** See OtherRooms. */
  readonly newProducerId: () => number;
}

/** What happens to the id as it is; `null`: nothing. May throw a refusal. */
export type Choice = (transaction: Transaction) => TransactionEvent | null;

export class TransactionChanges {
  readonly topic: CoordinatorTopic<TransactionKinds>;
  readonly #newProducerId: () => number;
  readonly #env: Env;

  constructor({ topic, newProducerId }: TransactionChangesParts, env: Env) {
    this.topic = topic;
    this.#newProducerId = newProducerId;
    this.#env = env;
  }

  /**
   * What `choose` made of it, once that is acknowledged. Where nothing happens, it resolves once what was decided before is
   * acknowledged. Rejects, then as well, with what `choose` and the table throw, and as CoordinatorShard.write does.
   */
  async act(transactionalId: string, choose: Choice, wait: Wait = {}): Promise<TransactionChange> {
    const decide = ({ transaction: keeper }: TransactionKinds): Decision<TransactionChange | BrokerError> => {
      const change = this.#judged(transactionalId, choose, keeper);
      if (change instanceof BrokerError || change.event === null) return { records: [], answer: change };
      this.#hitBefore(transactionalId, change.event);
      return {
        records: [transactionRecord(change.after)],
        answer: change,
        // Told also when nobody waits for the answer any more.
        onAcknowledged: () => this.#tell(change),
      };
    };
    const change = await this.topic.write(transactionalId, decide, wait);
    if (change instanceof BrokerError) throw change;
    if (change.event !== null) await this.#waitAfter(transactionalId, change.event);
    return change;
  }

  /** A refusal that rests on what may yet be lost is returned: of an end that nobody acknowledged, nobody may be told that it is one. */
  #judged(
    transactionalId: string,
    choose: Choice,
    keeper: TransactionKeeper,
  ): TransactionChange | BrokerError {
    const before = keeper.current(transactionalId);
    try {
      const event = choose(before);
      if (event === null) return { before, after: before, event };
      requireRoom(before, keeper);
      const world = { nowMs: this.#env.clock.nowMs(), newProducerId: this.#newProducerId };
      return { before, after: after(before, event, world), event };
    } catch (problem) {
      if (!(problem instanceof BrokerError) || keeper.isAcknowledged(transactionalId)) throw problem;
      return problem;
    }
  }

  #tell(change: TransactionChange): void {
    const event = eventOf(change);
    if (event !== null) this.#env.trace(event);
  }

  #hitBefore(transactionalId: string, { kind }: TransactionEvent): void {
    const site = this.#siteOf(transactionalId);
    const point = FAULT_POINTS[kind]?.before_write;
    if (site === null || point === undefined) return;
    answeringForDisk(() => this.#env.faults.hit(point, site));
  }

  async #waitAfter(transactionalId: string, { kind }: TransactionEvent): Promise<void> {
    const site = this.#siteOf(transactionalId);
    const point = FAULT_POINTS[kind]?.after_write;
    if (site === null || point === undefined) return;
    await answeringForDiskLater(() => this.#env.faults.waitAt(point, site));
  }

  /** `null` while the topic is still to be made: then nothing is written, and what is decided is decided once more. */
  #siteOf(transactionalId: string): FaultSite | null {
    const shard = this.topic.shardOf(transactionalId);
    return shard === null ? null : { topic: this.topic.topic, partition: shard.partition };
  }
}

type Steps = { readonly before_write: FaultPoint; readonly after_write: FaultPoint };

/** `after_write`: the record is acknowledged, and what comes next is not done. */
const FAULT_POINTS: { readonly [Kind in TransactionEvent["kind"]]?: Steps } = {
  add_partition: {
    before_write: "transaction.add_partition.before_write",
    after_write: "transaction.add_partition.after_write",
  },
  prepare: {
    before_write: "transaction.prepare.before_write",
    after_write: "transaction.prepare.after_write",
  },
  complete: {
    before_write: "transaction.complete.before_write",
    after_write: "transaction.complete.after_write",
  },
};

/** Throws INVALID_REQUEST for an id that is one too many. */
function requireRoom({ transactionalId, state }: Transaction, keeper: TransactionKeeper): void {
  if (state !== "dead" || keeper.size < LIMITS.transactionalIdsPerPartitionMax) return;
  throw tooManyTransactionalIds(transactionalId, keeper.size);
}
