/**
 * What producers ask of their transactional id (Kafka: TransactionCoordinator; KIP-98, KIP-360, KIP-588, KIP-890).
 *
 * Invariants: a producer hears of nothing that is not durable; requests of one id take effect in the order of the calls; an end
 * is answered when every partition has its marker.
 * Never: a write of an instance that is not the newest, nor one of a transaction that is over.
 */
import type { Wait } from "../coordinator/give-up.ts";
import { identityOf, type ProducerIdentity } from "../replica/producer-identity.ts";
import type { Completion } from "./completion.ts";
import {
  isRepeatedEnd,
  isToBeAborted,
  lastEndOf,
  nextOfHolder,
  requirePresent,
} from "./transaction-callers.ts";
import type { Choice, TransactionChanges } from "./transaction-changes.ts";
import type { TransactionConfig } from "./transaction-config.ts";
import type { TransactionEvent } from "./transaction-events.ts";
import {
  type AbortOptions,
  type EndRequest,
  type InitRequest,
  requireTransactionalId,
  type TransactionCaller,
  timeoutOf,
} from "./transaction-requests.ts";
import { isPrepared, type Transaction } from "./transaction-state.ts";
import type { TransactionChange } from "./transaction-trace.ts";
import { Turns } from "./turns.ts";

export interface TransactionParts {
  readonly changes: TransactionChanges;
  readonly completion: Completion;
  readonly turns: Turns;
}

export class TransactionCoordinator {
  readonly #parts: TransactionParts;
  readonly #config: TransactionConfig;
  /** Of inits alone, which wait for an end in the middle: who asked first must not have the later identity. */
  readonly #inits = new Turns();

  constructor(parts: TransactionParts, config: TransactionConfig) {
    this.#parts = parts;
    this.#config = config;
  }

  /**
   * The identity to use next. A new instance fences the one before and ends its transaction; who gives back what it has aborts
   * its own. It answers when that is complete. Rejects with INVALID_REQUEST, INVALID_TRANSACTION_TIMEOUT, PRODUCER_FENCED,
   * UNKNOWN_PRODUCER_ID, STORAGE_ERROR, BROKER_FAILED, and as CoordinatorShard.write. Kafka: InitProducerId.
   */
  async init(request: InitRequest, wait: Wait = {}): Promise<ProducerIdentity> {
    const { transactionalId } = request;
    requireTransactionalId(transactionalId);
    const timeoutMs = timeoutOf(request, this.#config);
    const current = request.current === undefined ? null : identityOf(request.current);
    const initialize = () => this.#initialize(transactionalId, { timeoutMs, current }, wait);
    return this.#inits.alone(transactionalId, initialize, wait);
  }

  /**
   * Opens a transaction, durably; its time runs from here on. Rejects with UNKNOWN_TRANSACTIONAL_ID, PRODUCER_FENCED,
   * UNKNOWN_PRODUCER_ID, TRANSACTION_ABORTED, INVALID_TRANSACTION_STATE, CONCURRENT_TRANSACTIONS. Kafka has no request for it.
   */
  async begin(caller: TransactionCaller, wait: Wait = {}): Promise<void> {
    requireTransactionalId(caller.transactionalId);
    await this.#alone(
      caller.transactionalId,
      (transaction) => {
        requirePresent(transaction, caller);
        return { kind: "begin" };
      },
      wait,
    );
  }

  /** The same where none is open; one of `caller` that is, goes on. Kafka: what AddPartitionsToTxn does before it adds any. */
  async beginIfNone(caller: TransactionCaller, wait: Wait = {}): Promise<void> {
    requireTransactionalId(caller.transactionalId);
    await this.#alone(
      caller.transactionalId,
      (transaction) => {
        requirePresent(transaction, caller);
        return transaction.state === "ongoing" ? null : { kind: "begin" };
      },
      wait,
    );
  }

  /**
   * Commits or aborts; resolves with the identity for the next transaction once every partition has its marker. The same end
   * again is the same answer. Rejects as begin() does, and with the problem of a partition: then the end is decided all the same,
   * and goes on when it is asked for again. Kafka: EndTxn, which answers once the decision is durable.
   */
  async end(request: EndRequest, wait: Wait = {}): Promise<ProducerIdentity> {
    const { transactionalId, commit, keepsEpoch } = request;
    requireTransactionalId(transactionalId);
    const { after } = await this.#alone(
      transactionalId,
      (transaction) =>
        isRepeatedEnd(transaction, request, commit)
          ? null
          : { kind: "prepare", commit, cause: "request", keepsEpoch },
      wait,
    );
    if (isPrepared(after)) await this.#parts.completion.complete(transactionalId, wait);
    return identityOf(after);
  }

  /**
   * Aborts the open transaction of an id, whoever has it open, or the one of `producer` alone; resolves with false when that is not
   * open, but for one of `producer` that was aborted so before: the same request again is the same answer, and ends no other. One
   * whose end was decided before is completed as it was decided. Rejects with UNKNOWN_TRANSACTIONAL_ID, with UNKNOWN_PRODUCER_ID
   * for a `producer` that nobody is yet, and as end() does. Kafka: Admin.abortTransaction (KIP-664).
   */
  async abort(transactionalId: string, { producer: meant, ...wait }: AbortOptions = {}): Promise<boolean> {
    requireTransactionalId(transactionalId);
    const { event, after } = await this.#alone(
      transactionalId,
      (transaction) =>
        isToBeAborted(transaction, meant) ? { kind: "prepare", commit: false, cause: "operator" } : null,
      wait,
    );
    const end = lastEndOf(after, meant);
    if (end !== null && isPrepared(after)) await this.#parts.completion.complete(transactionalId, wait);
    return event !== null || (meant !== undefined && end?.cause === "operator");
  }

  async #initialize(transactionalId: string, asked: Initialization, wait: Wait): Promise<ProducerIdentity> {
    for (;;) {
      const choose = (transaction: Transaction) => initEvent(transaction, asked);
      const { after } = await this.#alone(transactionalId, choose, wait);
      if (!isPrepared(after)) return identityOf(after);
      await this.#parts.completion.complete(transactionalId, wait);
    }
  }

  #alone(transactionalId: string, choose: Choice, wait: Wait): Promise<TransactionChange> {
    const { turns, changes } = this.#parts;
    return turns.alone(transactionalId, () => changes.act(transactionalId, choose, wait), wait);
  }
}

interface Initialization {
  readonly timeoutMs: number;
  readonly current: ProducerIdentity | null;
}

/** `null` while it has to wait for an end to be complete, and when the present identity is the answer. */
function initEvent(
  transaction: Transaction,
  { timeoutMs, current }: Initialization,
): TransactionEvent | null {
  if (current !== null && nextOfHolder(transaction, current) === "present") return null;
  if (isPrepared(transaction)) return null;
  if (transaction.state !== "ongoing") return { kind: "init", timeoutMs, current };
  return { kind: "prepare", commit: false, cause: current === null ? "fenced" : "request" };
}
