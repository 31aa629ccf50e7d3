/**
 * What a cluster does for transactions: the door to their rooms, which it puts together with the cluster's own.
 *
 * Invariant: answered only while running.
 */
import { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import type { AppendResult } from "../replica/append-result.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import { TransactionKeeper, type TransactionKinds } from "../transaction/transaction-keeper.ts";
import type {
  EndRequest,
  InitRequest,
  SendOffsetsRequest,
  TransactionalAppendOptions,
  TransactionCaller,
} from "../transaction/transaction-requests.ts";
import type { LivingState } from "../transaction/transaction-state.ts";
import {
  describeTransaction,
  listTransactions,
  type TransactionDescription,
  type TransactionListings,
} from "../transaction/transaction-views.ts";
import { type InternalTopicParts, openInternalTopic } from "./internal-topic.ts";
import { INTERNAL_TOPIC_CONFIG, TRANSACTIONS_TOPIC } from "./internal-topics.ts";
import type { Lifecycle } from "./lifecycle.ts";

/** What one step has done. */
export interface ExpiredTransactions {
  /** Their time was over. */
  readonly aborted: readonly string[];
  /** Their end had been decided before, and is complete now. */
  readonly completed: readonly string[];
  /** Ids that nobody used. */
  readonly forgotten: readonly string[];
  /** Could not be ended now; the next step tries again. */
  readonly failed: readonly { readonly transactionalId: string; readonly error: BrokerError }[];
}

const notYet = (): never => {
  throw new BrokerError("UNSUPPORTED_OPERATION", "not yet");
};

export class TransactionOperations {
  readonly #lifecycle: Lifecycle;
  readonly #topic: CoordinatorTopic<TransactionKinds>;

  constructor(parts: InternalTopicParts, env: Env) {
    const { config, lifecycle } = parts;
    const request = {
      topic: TRANSACTIONS_TOPIC,
      partitions: config.transactionsTopicPartitions,
      config: INTERNAL_TOPIC_CONFIG,
    };
    this.#lifecycle = lifecycle;
    this.#topic = new CoordinatorTopic<TransactionKinds>(
      {
        ...openInternalTopic(parts, request, env),
        newKinds: () => ({ transaction: new TransactionKeeper({ heard: () => {} }) }),
      },
      env,
    );
  }

  async init(_request: InitRequest, _wait?: Wait): Promise<ProducerIdentity> {
    this.#lifecycle.requireRunning();
    return notYet();
  }

  async begin(_transaction: TransactionCaller, _wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    notYet();
  }

  async append(
    _place: TopicPartition,
    _frame: Buffer,
    _options: TransactionalAppendOptions,
  ): Promise<AppendResult> {
    this.#lifecycle.requireRunning();
    return notYet();
  }

  async sendOffsets(_request: SendOffsetsRequest, _wait?: Wait): Promise<void> {
    this.#lifecycle.requireRunning();
    notYet();
  }

  async end(_request: EndRequest, _wait?: Wait): Promise<ProducerIdentity> {
    this.#lifecycle.requireRunning();
    return notYet();
  }

  /** False when none was open. */
  async abort(_transactionalId: string, _wait?: Wait): Promise<boolean> {
    this.#lifecycle.requireRunning();
    return notYet();
  }

  /** See describeTransaction() in transaction-views.ts. */
  async describe(transactionalId: string, wait?: Wait): Promise<TransactionDescription> {
    this.#lifecycle.requireRunning();
    return describeTransaction(this.#topic, transactionalId, wait);
  }

  /** See listTransactions() in transaction-views.ts. */
  async list(
    request: { readonly states?: readonly LivingState[] | undefined } = {},
    wait?: Wait,
  ): Promise<TransactionListings> {
    this.#lifecycle.requireRunning();
    return listTransactions(this.#topic, request, wait);
  }

  async expire(_wait?: Wait): Promise<ExpiredTransactions> {
    this.#lifecycle.requireRunning();
    return notYet();
  }
}
