/** A snapshot of a log's producers as `log dump` shows it. */
import type { Finding } from "@minikafka/core/log";

type FoundSnapshot = Extract<Finding, { kind: "snapshot" }>;

/** The names are those of the file: -J prints them. */
export function snapshotDocument({ file, offset, producers, transactions, problem }: FoundSnapshot): object {
  return {
    type: "snapshot",
    file,
    offset,
    producers: producers.map(({ producerId, producerEpoch, lastSeenMs, batches }) => ({
      producer_id: producerId,
      producer_epoch: producerEpoch,
      last_seen_ms: lastSeenMs,
      batches: batches.map((batch) => ({
        base_sequence: batch.baseSequence,
        base_offset: batch.baseOffset,
        next_offset: batch.nextOffset,
        content_crc: batch.contentCrc,
        append_time_ms: batch.appendTimeMs,
      })),
    })),
    ...(transactions !== null && {
      open_transactions: transactions.open.map(({ producerId, producerEpoch, firstOffset, nextOffset }) => ({
        producer_id: producerId,
        producer_epoch: producerEpoch,
        first_offset: firstOffset,
        next_offset: nextOffset,
      })),
      ended_transactions: transactions.ended.map(({ producerId, firstOffset, lastOffset }) => ({
        producer_id: producerId,
        first_offset: firstOffset,
        last_offset: lastOffset,
      })),
    }),
    problem,
  };
}

/** Lines in the manner of Kafka's DumpLogSegments, each with its newline. */
export function snapshotText({ file, producers, transactions, problem }: FoundSnapshot): string {
  const lines = producers.map(({ producerId, producerEpoch, lastSeenMs, batches }) => {
    const known = batches.map(({ baseSequence, baseOffset, nextOffset }) => {
      return `${baseSequence} at offsets ${baseOffset} to ${nextOffset - 1}`;
    });
    const sequences = known.length === 0 ? "none" : known.join(", ");
    return `producerId: ${producerId} producerEpoch: ${producerEpoch} lastSeen: ${lastSeenMs} base sequences: ${sequences}`;
  });
  for (const { producerId, producerEpoch, firstOffset } of transactions?.open ?? [])
    lines.push(
      `open transaction: producerId: ${producerId} producerEpoch: ${producerEpoch} firstOffset: ${firstOffset}`,
    );
  for (const { producerId, firstOffset, lastOffset } of transactions?.ended ?? [])
    lines.push(
      `ended transaction: producerId: ${producerId} firstOffset: ${firstOffset} lastOffset: ${lastOffset}`,
    );
  if (problem !== null) lines.push(`not used: ${problem}; older ones and the batches make up for it`);
  return [`Dumping ${file}`, ...lines].map((line) => `${line}\n`).join("");
}
