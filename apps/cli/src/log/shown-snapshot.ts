/** A snapshot of a log's producers as `log dump` shows it. */
import type { Finding } from "@minikafka/core/log";

type FoundSnapshot = Extract<Finding, { kind: "snapshot" }>;

/** The names are those of the file: -J prints them. */
export function snapshotDocument({ file, offset, producers, problem }: FoundSnapshot): object {
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
    problem,
  };
}

/** Lines in the manner of Kafka's DumpLogSegments, each with its newline. */
export function snapshotText({ file, producers, problem }: FoundSnapshot): string {
  const lines = producers.map(({ producerId, producerEpoch, lastSeenMs, batches }) => {
    const known = batches.map(({ baseSequence, baseOffset, nextOffset }) => {
      return `${baseSequence} at offsets ${baseOffset} to ${nextOffset - 1}`;
    });
    const sequences = known.length === 0 ? "none" : known.join(", ");
    return `producerId: ${producerId} producerEpoch: ${producerEpoch} lastSeen: ${lastSeenMs} base sequences: ${sequences}`;
  });
  if (problem !== null) lines.push(`not used: ${problem}; older ones and the batches make up for it`);
  return [`Dumping ${file}`, ...lines].map((line) => `${line}\n`).join("");
}
