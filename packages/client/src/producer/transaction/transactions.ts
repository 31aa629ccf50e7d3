/**
 * A producer's transactions, one after the other (Kafka: TransactionManager).
 *
 * Owns the identity, and the transaction that was begun last. Invariants: one is open at a time; the next begins when the end that
 * was asked for the one before has a known outcome; with the producer's close none is left open, unless the broker cannot be
 * reached, whose timeout ends it then.
 */
import { onAbort } from "../../abort.ts";
import { asMiniKafkaError, hasCode, type MiniKafkaError } from "../../errors.ts";
import type { Session } from "../../session.ts";
import { usageError } from "../../usage.ts";
import type { WaitOptions } from "../../wait-options.ts";
import { untilAborted } from "../../waiting.ts";
import { producerClosedError } from "../delivery-errors.ts";
import type { ProducerIdentity } from "../lane-sequences.ts";
import type { ProducerSettings, TransactionSettings } from "../producer-options.ts";
import { RecordPipeline } from "../record-pipeline.ts";
import { CoordinatorCalls } from "./coordinator-calls.ts";
import { Transaction, type TransactionHost } from "./transaction.ts";
import { saysItIsOver } from "./transaction-errors.ts";
import { TransactionalIdentity } from "./transactional-identity.ts";

/** Its records are checked when they are made, whatever their producer's serializers take. */
type AnyTransaction = Transaction<unknown, unknown>;

/** Identities that are not good any more may come one after the other, but not for ever. */
const RENEWALS_MAX = 3;

export class Transactions implements TransactionHost {
  readonly pipeline: RecordPipeline;
  readonly calls: CoordinatorCalls;
  #identity!: TransactionalIdentity;
  #last: AnyTransaction | null = null;
  #beginning: Promise<AnyTransaction> | null = null;
  #isClosed = false;

  constructor(session: Session, settings: ProducerSettings, own: TransactionSettings) {
    const { deliveryTimeoutMs } = settings;
    this.calls = new CoordinatorCalls(session, { ...own, deliveryTimeoutMs });
    this.pipeline = new RecordPipeline(session, settings, (listener) => {
      this.#identity = new TransactionalIdentity(listener);
      return this.#identity;
    });
  }

  get identity(): TransactionalIdentity {
    return this.#identity;
  }

  /** Throws USAGE while another is open. Fails with PRODUCER_FENCED, for good, and with what the coordinator refuses. */
  async begin({ signal }: WaitOptions = {}): Promise<AnyTransaction> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw producerClosedError(false);
    this.#requireNoneOpen();
    const beginning = this.#begin();
    this.#beginning = beginning;
    const over = () => {
      this.#beginning = null;
    };
    beginning.then(over, over);
    // Begun for nobody, it is not left open.
    if (signal !== undefined) this.#abortWhenUnwanted(beginning, signal);
    return untilAborted(beginning, signal);
  }

  /** Commits when `work` returns, aborts and throws the same when it throws, or when `signal` aborts before. */
  async run<T>(work: (tx: AnyTransaction) => T | Promise<T>, { signal }: WaitOptions = {}): Promise<T> {
    const tx = await this.begin({ signal });
    try {
      const result = await untilAborted((async () => work(tx))(), signal);
      // The coordinator may have ended it meanwhile: its commit says so.
      const isEndedUnasked = tx.isOver && tx.failure !== null;
      if (tx.stage === "open" || isEndedUnasked) await tx.commit();
      else if (!tx.isOver) await tx.finish();
      return result;
    } catch (error) {
      // What cannot be aborted now is ended by the next transaction, or by the broker's timeout.
      if (tx.stage !== "committed" && tx.stage !== "committing") await tx.abort().catch(() => {});
      throw error;
    }
  }

  /** Aborts what is open. Never fails: what the broker does not hear of ends by its timeout. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.calls.stopRetrying();
    this.#last?.stopRetrying();
    const tx = (await this.#beginning?.catch(() => null)) ?? this.#last;
    if (tx === null || tx.stage === "committed") return;
    await tx.finish().catch(() => {});
    // A commit that was refused leaves it to be aborted.
    if (tx.stage === "open") await tx.abort().catch(() => {});
  }

  /** What is under way fails: the time of the close is over. */
  giveUp(): void {
    const reason = producerClosedError(true);
    this.pipeline.abandon(reason);
    this.calls.giveUp(reason);
  }

  #requireNoneOpen(): void {
    const { fencing } = this.#identity;
    if (fencing !== null) throw fencing;
    if (this.#beginning !== null)
      throw usageError("another transaction is being begun; a producer has one at a time");
    if (this.#last === null || this.#last.isOver) return;
    if (this.#last.isEnding)
      throw usageError(`the transaction before is still ${this.#last.stage}; wait for that first`);
    if (this.#last.stage === "open")
      throw usageError("another transaction is open; commit or abort it first, a producer has one at a time");
  }

  async #begin(): Promise<AnyTransaction> {
    await this.#finishLast();
    for (let renewals = 0; ; renewals += 1) {
      const own = await this.#current();
      try {
        await this.calls.begin(own);
        this.#identity.open();
        this.#last = new Transaction(this, own);
        return this.#last;
      } catch (error) {
        if (!saysItIsOver(error) || renewals === RENEWALS_MAX) throw this.#notBegun(error);
        this.#identity.wearOut();
      }
    }
  }

  /** The end that was asked for the one before, and of which nobody knows what became. */
  async #finishLast(): Promise<void> {
    const last = this.#last;
    if (last === null || last.stage === "committed") return;
    await last.finish().catch((error) => {
      if (!last.isOver) throw error;
    });
  }

  async #current(): Promise<ProducerIdentity> {
    const { current, isStale } = this.#identity;
    if (current !== null && !isStale) return current;
    try {
      const identity = await this.calls.init(current);
      this.#identity.renew(identity);
      return identity;
    } catch (error) {
      throw this.#notBegun(error);
    }
  }

  #notBegun(error: unknown): MiniKafkaError {
    const known = asMiniKafkaError(error);
    if (hasCode(known, "PRODUCER_FENCED")) this.#identity.fence(known);
    // It may be open all the same: asked for the next epoch, the coordinator ends it.
    else this.#identity.wearOut();
    return known;
  }

  #abortWhenUnwanted(beginning: Promise<AnyTransaction>, signal: AbortSignal): void {
    let isUnwanted = false;
    const forget = onAbort(signal, () => {
      isUnwanted = true;
    });
    beginning
      .finally(forget)
      .then((tx) => (isUnwanted ? tx.abort() : undefined))
      .catch(() => {});
  }
}
