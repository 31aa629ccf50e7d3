/** What transactions show, and how they end. */

/** @type {import("../mutation.mjs").Mutation[]} */
export const TRANSACTIONS = [
  {
    name: "last-stable-offset-without-transactions",
    sentence: "the last stable offset passes what an open transaction has written",
    file: "replica/last-stable-offset.ts",
    from: "return Math.min(highWatermark, log.firstUnstableOffset(highWatermark) ?? highWatermark);",
    to: "return Math.min(highWatermark, log.firstUnstableOffset(highWatermark) === -1 ? 0 : highWatermark);",
    seed: 1,
  },
  {
    name: "last-stable-offset-before-the-marker",
    sentence: "the last stable offset passes a transaction whose marker not everybody in sync has",
    file: "log/producers/transaction-state.ts",
    from: "if (ended === undefined || ended.lastOffset < highWatermark) break;",
    to: "if (ended === undefined || ended.lastOffset >= 0) break;",
    seed: 2,
  },
  {
    name: "aborted-not-told",
    sentence:
      "a reader of committed records is not told of a transaction whose abort marker stands in a later segment",
    file: "log/lookup/aborted-search.ts",
    from: "if (nextOffset <= fromOffset || aborted === null || aborted.firstOffset >= endOffset) continue;",
    to: "if (nextOffset <= fromOffset || segment.baseOffset >= endOffset || aborted === null) continue;",
    seed: 1,
  },
  {
    name: "marker-skipped",
    sentence: "one partition of a transaction gets no marker",
    file: "transaction/completion.ts",
    from: "[...transaction.partitions.values()].map(",
    to: "[...transaction.partitions.values()].slice(1).map(",
    seed: 3,
  },
  {
    name: "fenced-marker-taken-as-done",
    sentence: "a marker whose partition got a new leader is taken as written",
    file: "transaction/completion.ts",
    from: 'if (!isGone && problem.code !== "FENCED_LEADER_EPOCH") throw problem;',
    to: 'if (problem.code === "FENCED_LEADER_EPOCH") return;\n        if (!isGone) throw problem;',
  },
  {
    name: "marker-before-the-decision",
    sentence: "markers are written before the decision is durable",
    file: "transaction/completion.ts",
    from: "        // What was decided by now is durable after it.\n        await this.#changes.act(transactionalId, () => null);\n        const keeper = this.#changes.topic.loaded(transactionalId)?.transaction;\n        if (keeper === undefined) continue;\n        const decided = keeper.current(transactionalId);\n        if (!isPrepared(decided)) return;\n        if (!isSameEnd(decided, keeper.committed(transactionalId))) continue;",
    to: "        const keeper = this.#changes.topic.loaded(transactionalId)?.transaction;\n        if (keeper === undefined) {\n          await this.#changes.act(transactionalId, () => null);\n          continue;\n        }\n        const decided = keeper.current(transactionalId);\n        if (!isPrepared(decided)) return;",
    seed: 82,
  },
  {
    name: "late-marker-ends-another",
    sentence: "a late marker ends the transaction that came after its own",
    file: "replica/transaction-end.ts",
    from: "if (open === undefined || open.producerEpoch > endedEpoch) return null;",
    to: "if (open === undefined) return null;",
    seed: 12,
  },
  {
    name: "remains-committed",
    sentence: "what is left of an older transaction is committed with the next one",
    file: "replica/transaction-end.ts",
    from: 'const control = open.producerEpoch === endedEpoch ? end.control : "abort";',
    to: "const control = end.control;",
  },
  {
    name: "ended-not-in-the-snapshot",
    sentence: "a snapshot of a log's producers does not say which transactions have ended only just",
    file: "log/producers/transaction-snapshot.ts",
    from: "ended: ended.map(({ producerId, firstOffset, lastOffset }) => [producerId, firstOffset, lastOffset]),",
    to: "ended: ended.slice(ended.length),",
    seed: 2,
  },
  {
    name: "epoch-not-raised-at-the-end",
    sentence: "the end of a transaction leaves the producer epoch as it is",
    file: "transaction/transitions.ts",
    from: "    ...(keepsEpoch ? producer : raised(transaction, world)),\n    // Who was fenced",
    to: "    // Who was fenced",
    seed: 2,
  },
];
