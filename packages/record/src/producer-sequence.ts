/** The numbers by which a producer's batches are told apart (KIP-98). Of sequences each record has the next, 0 follows 2^31 - 1. */

/** Kafka: an epoch is an i16. */
export const PRODUCER_EPOCH_MAX = 2 ** 15 - 1;

/** As many as there are. Kafka: Integer.MAX_VALUE + 1. */
export const SEQUENCES = 2 ** 31;

/** The sequence that many records behind `sequence`. */
export function sequenceAfter(sequence: number, records: number): number {
  return (sequence + records) % SEQUENCES;
}
