/** What a snapshot says of transactions, and back from one that is not believed yet. */
import { PRODUCER_EPOCH_MAX } from "@minikafka/record";
import { fieldsOf, integerOf, listOf, mismatch, offsetOf } from "../files/parsed-json.ts";
import type { EndedTransaction, OpenTransaction, Transactions } from "./transaction-state.ts";

export function formatTransactions({ open, ended, settledEnd }: Transactions): unknown {
  // Without names, as a producer's batches.
  return {
    open: open.map(({ producerId, producerEpoch, firstOffset, nextOffset }) => [
      producerId,
      producerEpoch,
      firstOffset,
      nextOffset,
    ]),
    ended: ended.map(({ producerId, firstOffset, lastOffset }) => [producerId, firstOffset, lastOffset]),
    settled_end: settledEnd,
  };
}

/** Of a snapshot of `offset`. Throws an Error that says what is wrong. */
export function parseTransactions(value: unknown, offset: number): Transactions {
  const fields = fieldsOf(value, "transactions");
  const open = columnsOf(fields.get("open"), "open", 4).map(openOf);
  const ended = columnsOf(fields.get("ended"), "ended", 3).map(endedOf);
  let above = -1;
  for (const { firstOffset, nextOffset } of open) {
    if (firstOffset <= above || firstOffset >= nextOffset || nextOffset > offset)
      throw new Error(
        `a transaction from ${firstOffset} to ${nextOffset} cannot follow one that began at ${above}`,
      );
    above = firstOffset;
  }
  if (new Set(open.map(({ producerId }) => producerId)).size !== open.length)
    throw new Error("it names two open transactions of a producer");
  above = -1;
  for (const { firstOffset, lastOffset } of ended) {
    if (lastOffset <= above || firstOffset >= lastOffset || lastOffset >= offset)
      throw new Error(
        `a transaction from ${firstOffset} to ${lastOffset} cannot follow one that ended at ${above}`,
      );
    above = lastOffset;
  }
  return { open, ended, settledEnd: settledEndOf(fields.get("settled_end"), ended[0]?.lastOffset ?? offset) };
}

/** One that does not say so may have dropped all that ended below the first that it has. */
function settledEndOf(value: unknown, max: number): number {
  return value === undefined ? max : integerOf(value, "the settled end", { min: 0, max });
}

function columnsOf(value: unknown, what: string, count: number): (readonly unknown[])[] {
  return listOf(value, what).map((transaction) => {
    const columns = listOf(transaction, "a transaction");
    if (columns.length !== count)
      throw mismatch(columns.length, "the number of a transaction's columns", `${count}`);
    return columns;
  });
}

function openOf([producerId, producerEpoch, firstOffset, nextOffset]: readonly unknown[]): OpenTransaction {
  return {
    producerId: offsetOf(producerId, "a producer id"),
    producerEpoch: integerOf(producerEpoch, "a producer epoch", { min: -1, max: PRODUCER_EPOCH_MAX }),
    firstOffset: offsetOf(firstOffset, "a first offset"),
    nextOffset: offsetOf(nextOffset, "a next offset"),
  };
}

function endedOf([producerId, firstOffset, lastOffset]: readonly unknown[]): EndedTransaction {
  return {
    producerId: offsetOf(producerId, "a producer id"),
    firstOffset: offsetOf(firstOffset, "a first offset"),
    lastOffset: offsetOf(lastOffset, "a last offset"),
  };
}
