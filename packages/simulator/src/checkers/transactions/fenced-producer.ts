/** Who has begun with a newer epoch has fenced the older ones: nothing more is taken in their transactions. */
import type { Checker } from "../checker.ts";
import { isAnswered, type JudgedHistory, listIn } from "../facts/judged-history.ts";
import type { Transaction } from "../facts/transactions.ts";
import { when } from "../facts/words.ts";
import { transactionWords } from "./committed-reads.ts";

/** From `order` on nothing of an older epoch is taken. */
interface Fence {
  /** It was asked for then; what its coordinator lost since, it may have lost with it. */
  readonly from: number;
  readonly order: number;
  readonly epoch: number;
  readonly words: readonly string[];
}

export const fencedProducer: Checker<JudgedHistory> = {
  name: "fenced-producer",
  promise: "once a transactional id has a newer epoch, nothing is taken in a transaction of an older one",
  check(judged, judge) {
    const fences = fencesOf(judged);
    for (const transaction of judged.transactions.values()) {
      const { begun, sends, offsets } = transaction;
      if (begun === null) continue;
      const { transactionalId, producerEpoch } = begun.asked;
      const newer = fences.get(transactionalId)?.filter(({ epoch }) => epoch > producerEpoch) ?? [];
      for (const operation of [...sends, ...offsets]) {
        // The last one: an earlier one may have been lost without it.
        const fence = newer.findLast(({ order }) => order <= operation.order);
        if (fence === undefined) continue;
        const span = {
          from: Math.min(begun.order, fence.from),
          to: operation.ended?.order ?? operation.order,
        };
        if (judged.losses.excuseOfTopic("__transaction_state", "all", span) !== null) continue;
        judge.asked();
        if (operation.ended?.outcome !== "ok") continue;
        judge.violated(`a ${operation.kind} of ${transaction.name} was taken after a newer epoch had begun`, [
          ...transactionWords(transaction),
          ...fence.words,
          `${operation.client} asked for ${operation.kind} (${when(operation)})`,
        ]);
      }
    }
  },
};

/** By transactional id, in the order in which they were told. */
function fencesOf(judged: JudgedHistory): Map<string, Fence[]> {
  const fences = new Map<string, Fence[]>();
  for (const init of judged.of("init_producer").filter(isAnswered)) {
    const { transactionalId } = init.asked;
    const { producerId, producerEpoch: epoch } = init.ended.told;
    if (transactionalId === null) continue;
    const words = [`${init.client} was given ${producerId}:${epoch} of ${transactionalId} (${when(init)})`];
    listIn(fences, transactionalId).push({ from: init.order, order: init.ended.order, epoch, words });
  }
  for (const transaction of judged.transactions.values()) noteBegun(fences, transaction);
  for (const list of fences.values()) list.sort((one, other) => one.order - other.order);
  return fences;
}

function noteBegun(fences: Map<string, Fence[]>, transaction: Transaction): void {
  const { begun } = transaction;
  if (begun === null || begun.ended?.outcome !== "ok") return;
  const { transactionalId, producerEpoch: epoch } = begun.asked;
  listIn(fences, transactionalId).push({
    from: begun.order,
    order: begun.ended.order,
    epoch,
    words: transactionWords(transaction),
  });
}
