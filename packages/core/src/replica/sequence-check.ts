/**
 * Whether a batch of an idempotent producer is the next one, a retry, or neither (KIP-98, KIP-360). Pure, but for a look into
 * the log at a batch that may be the same in other bytes.
 *
 * An id that the log does not know may begin with any sequence: what is known goes with time or with a lost disk, and the
 * producer is not to blame. Within an epoch each batch follows the last one; a newer epoch begins at 0; an older one is over.
 */
import { type BatchHeader, type Compression, contentCrc, sequenceAfter } from "@minikafka/record";
import { BrokerError, type ErrorDetails } from "../errors.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { expectedSequence, type ProducedBatch, type ProducerEntry } from "../log/producers/producer-state.ts";
import type { Admitted } from "./batch-admission.ts";
import { holdsSame, type RetryRule } from "./same-batch.ts";

/** The batch that was appended when the same one came before. */
export type DuplicateOf = Pick<ProducedBatch, "baseOffset" | "nextOffset" | "appendTimeMs">;

/** What a partition asks of the whole cluster about the producers that write to it. */
export interface ProducerRules {
  /** A retry of so many last batches is known, 1 to 5. Kafka: 5. */
  readonly duplicateWindow: number;
  /** Throws PRODUCER_FENCED or UNKNOWN_PRODUCER_ID when a batch is not of a producer that may write. */
  requireCurrent(header: BatchHeader): void;
}

/**
 * The two of them for a batch that goes to `log`; `null` at once for a producer that is not idempotent. What a coordinator writes in
 * a transaction has no sequence: it has just judged the producer itself, and only a marker that was before it is seen here.
 */
export function duplicateIn(
  log: Pick<PartitionLog, "producer" | "logStartOffset" | "read">,
  { header, plain }: Admitted,
  rules: ProducerRules,
  compression: Compression | undefined,
  retriesKnownBy: RetryRule = "content",
): DuplicateOf | null {
  if (header.producerId < 0) return null;
  const known = log.producer(header.producerId);
  if (header.baseSequence < 0) {
    if (known !== undefined && header.producerEpoch < known.producerEpoch)
      throw fenced(header, known.producerEpoch);
    return null;
  }
  rules.requireCurrent(header);
  const holds = (before: ProducedBatch) => holdsSame(before, plain, { log, compression, retriesKnownBy });
  return requireInSequence(header, known, rules.duplicateWindow, holds);
}

/**
 * `null` when `header` is that of a batch which may be appended; where it was appended when it is one of the last `window`
 * of its producer. Throws PRODUCER_FENCED, and OUT_OF_ORDER_SEQUENCE (details: expected, actual), also for a sequence that
 * had other records before. `holds` is asked where the bytes are others, or can no longer be told: it says whether the batch counts as the same.
 */
export function requireInSequence(
  header: BatchHeader,
  known: ProducerEntry | undefined,
  window: number,
  holds: (before: ProducedBatch) => boolean = (before) => before.contentCrc === null,
): DuplicateOf | null {
  const { producerEpoch, baseSequence } = header;
  if (known === undefined) return null;
  if (producerEpoch < known.producerEpoch) throw fenced(header, known.producerEpoch);
  const expected = producerEpoch === known.producerEpoch ? expectedSequence(known) : 0;
  if (baseSequence === expected) return null;
  const before = producerEpoch === known.producerEpoch ? sameSequences(header, known, window) : undefined;
  if (before === undefined) throw outOfOrder(header, expected, "");
  const isSame = before.contentCrc !== null && before.contentCrc === contentCrc(header);
  if (!isSame && !holds(before)) {
    const taken = `, which offsets ${before.baseOffset} to ${before.nextOffset - 1} have with other records`;
    throw outOfOrder(header, expected, taken);
  }
  return before;
}

/** PRODUCER_FENCED for a producer of an epoch that is over. */
export function fenced(
  { producerId, producerEpoch }: Pick<BatchHeader, "producerId" | "producerEpoch">,
  currentEpoch: number,
): BrokerError {
  return new BrokerError(
    "PRODUCER_FENCED",
    `the epoch ${producerEpoch} of producer id ${producerId} is over; the present one is ${currentEpoch}`,
    { producer_id: producerId, producer_epoch: producerEpoch, current_epoch: currentEpoch },
  );
}

/** The newest of the last `window` batches with just these sequences. */
function sameSequences(
  { baseSequence, baseOffset, nextOffset }: BatchHeader,
  { batches }: ProducerEntry,
  window: number,
): ProducedBatch | undefined {
  const records = nextOffset - baseOffset;
  return batches
    .slice(-window)
    .findLast(
      (batch) => batch.baseSequence === baseSequence && batch.nextOffset - batch.baseOffset === records,
    );
}

function outOfOrder(header: BatchHeader, expected: number, taken: string): BrokerError {
  const { producerId, producerEpoch, baseSequence, lastOffsetDelta } = header;
  const last = sequenceAfter(baseSequence, lastOffsetDelta);
  const message = `producer id ${producerId} sent sequences ${baseSequence} to ${last}${taken}; expected ${expected} next`;
  const details: ErrorDetails = {
    producer_id: producerId,
    producer_epoch: producerEpoch,
    expected,
    actual: baseSequence,
  };
  return new BrokerError("OUT_OF_ORDER_SEQUENCE", message, details);
}
