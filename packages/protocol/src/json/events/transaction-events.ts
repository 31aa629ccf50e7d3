/**
 * What happens to transactional ids: kind, meaning, and the facts. `partitions` says how many the transaction has, or had; the
 * epoch is the present one after the event, but for a decision, which names the transaction's.
 */
export const TRANSACTION_EVENTS = {
  transaction_initialized: [
    "A producer of transactions got its id and epoch; `state` is what the transactional id was before: `dead` when it was new, or forgotten.",
    "transactional_id:text producer_id producer_epoch timeout_ms state:text",
  ],
  transaction_begun: ["A transaction is open.", "transactional_id:text producer_id producer_epoch"],
  transaction_partition_added: [
    "A transaction is about to write to a partition that was none of its before.",
    "transactional_id:text producer_id producer_epoch partitions",
  ],
  transaction_prepared: [
    "It is decided how a transaction ends; `cause` says why: request, timeout, fenced or operator.",
    "transactional_id:text producer_id producer_epoch committed:flag cause:text partitions",
  ],
  transaction_completed: [
    "Every partition of a transaction has its marker.",
    "transactional_id:text producer_id producer_epoch committed:flag partitions",
  ],
  transactional_id_forgotten: [
    "Nobody had used a transactional id for long, and it is gone.",
    "transactional_id:text producer_id updated_ms",
  ],
  hanging_transaction_ended: [
    "A transaction was open in a partition and known to no coordinator, as after an unclean promotion; it has its marker now.",
    "producer_id producer_epoch committed:flag",
  ],
} as const satisfies { readonly [kind: string]: readonly [meaning: string, facts: string] };
