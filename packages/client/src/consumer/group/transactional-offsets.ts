/** How a consumer's positions get into a producer's transaction: the consumer says what, the transaction sends it. */
import type { Committer, IdentifiedOffset } from "./offset-commits.ts";

/** Sends offsets of a group as a part of a transaction. Asked again with another committer when a rebalance came before it. */
export type OffsetSender = (
  groupId: string,
  committer: Committer | null,
  offsets: readonly IdentifiedOffset[],
) => Promise<void>;

/** A method for `tx.sendOffsets` alone, which nobody calls by hand. */
export const SEND_POSITIONS: unique symbol = Symbol("sends its positions through a transaction");

/** A consumer of a group, whose commits are a transaction's affair. */
export interface TransactionalConsumer {
  /** All positions, as `commit()` commits them. Throws USAGE for a consumer without a group, or one that commits by itself. */
  [SEND_POSITIONS](send: OffsetSender): Promise<void>;
}
