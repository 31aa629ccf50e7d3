/** How a consumer's positions get into a producer's transaction: the consumer says what, the transaction sends it. */
import type { Committer, IdentifiedOffset } from "./offset-commits.ts";

/** A transaction that offsets of a group are to be a part of. */
export interface OffsetSender {
  /** Asked again with another committer when a rebalance came before it. */
  send(groupId: string, committer: Committer | null, offsets: readonly IdentifiedOffset[]): Promise<void>;
  /** Tries again, as patiently as the sending, what has to be found out for it. */
  retrying<T>(attempt: () => Promise<T>): Promise<T>;
}

/** A method for `tx.sendOffsets` alone, which nobody calls by hand. */
export const SEND_POSITIONS: unique symbol = Symbol("sends its positions through a transaction");

/** A consumer of a group, whose commits are a transaction's affair. */
export interface TransactionalConsumer {
  /** All positions, as `commit()` commits them. Throws USAGE for a consumer without a group, or one that commits by itself. */
  [SEND_POSITIONS](sender: OffsetSender): Promise<void>;
}
