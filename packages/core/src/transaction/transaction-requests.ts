/** What the coordinator is asked, and what of it can be refused without knowing the transactional id. */
import { characterCount } from "../character-count.ts";
import type { Wait } from "../coordinator/give-up.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { CommitRequest } from "../offsets/commit-request.ts";
import { quoted } from "../quoted.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import type { RetryRule } from "../replica/same-batch.ts";
import type { TransactionConfig } from "./transaction-config.ts";
import { invalidTimeout } from "./transaction-refusals.ts";

/** Who speaks, in which of its transactions: each has an epoch of its own (KIP-890). */
export interface TransactionCaller extends ProducerIdentity {
  readonly transactionalId: string;
}

export interface InitRequest {
  readonly transactionalId: string;
  /** How long its transactions may be open; default 60 s, as in Kafka (transaction.timeout.ms). */
  readonly timeoutMs?: number | undefined;
  /** What the caller has now, and gives back for a newer epoch (KIP-360). Left out: it is a new instance. */
  readonly current?: ProducerIdentity | undefined;
}

/** Offsets that are committed when the transaction is. */
export interface SendOffsetsRequest extends TransactionCaller, CommitRequest {}

export interface EndRequest extends TransactionCaller {
  readonly commit: boolean;
  /**
   * The producer goes on with the epoch that it has, as Kafka's did before KIP-890: what is late of this transaction cannot be told from
   * what belongs to the next. Default: it gets the next epoch.
   */
  readonly keepsEpoch?: boolean | undefined;
}

/** An abort by somebody who is not the producer. */
export interface AbortOptions extends Wait {
  /** Whose transaction is meant, with the epoch in which it is open. Left out: whichever is open when its turn comes. */
  readonly producer?: ProducerIdentity | undefined;
}

export interface TransactionalAppendOptions {
  readonly transactionalId: string;
  /** The epoch of the leader that the client knows; default: whichever it is. */
  readonly leaderEpoch?: number | undefined;
  /** As for every append (../replica/append-options.ts). */
  readonly retriesKnownBy?: RetryRule | undefined;
  /** Says that nobody waits any more. What has not been appended by then never is. */
  readonly giveUp?: AbortSignal | undefined;
}

/** Enough to know a name by, of which each character may take nine when it is shown. */
const NAME_SHOWN_MAX = 32;

/** Throws INVALID_REQUEST for what can be no name: it stands in records, which are text. */
export function requireTransactionalId(transactionalId: string): void {
  const length = characterCount(transactionalId);
  const { transactionalIdLengthMax: max } = LIMITS;
  if (length >= 1 && length <= max && transactionalId.isWellFormed()) return;
  throw new BrokerError(
    "INVALID_REQUEST",
    `the transactional id is ${quoted(transactionalId, NAME_SHOWN_MAX)}, ${length} characters; expected 1 to ${max} of well-formed text`,
  );
}

/** The timeout that is asked for, or the default. Throws INVALID_TRANSACTION_TIMEOUT. */
export function timeoutOf(
  { timeoutMs }: Pick<InitRequest, "timeoutMs">,
  { transactionMaxTimeoutMs: maxMs }: Pick<TransactionConfig, "transactionMaxTimeoutMs">,
): number {
  if (timeoutMs === undefined) return Math.min(LIMITS.transactionTimeoutMsDefault, maxMs);
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= maxMs) return timeoutMs;
  throw invalidTimeout(timeoutMs, maxMs);
}
