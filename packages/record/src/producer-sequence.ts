/** Sequence numbers (KIP-98): each record of a producer in a partition has the next, 0 follows 2^31 - 1. */

/** As many as there are. Kafka: Integer.MAX_VALUE + 1. */
export const SEQUENCES = 2 ** 31;

/** The sequence that many records behind `sequence`. */
export function sequenceAfter(sequence: number, records: number): number {
  return (sequence + records) % SEQUENCES;
}
