/** Where the partitions of a topic go. */
import { assert } from "../assert.ts";

/**
 * Round robin, so that leaders and copies spread over the brokers: partition p is held by brokers p, p + 1, … of the list,
 * which begins anew behind its end, and the first of them leads. Returns each partition's brokers. Pure: the same brokers
 * in the same order give the same places, also when a topic gains partitions later.
 */
export function placeReplicas(
  partitions: number,
  replicationFactor: number,
  brokerIds: readonly number[],
): number[][] {
  assert(
    replicationFactor >= 1 && replicationFactor <= brokerIds.length,
    `${replicationFactor} copies cannot lie on ${brokerIds.length} brokers`,
  );
  return Array.from({ length: partitions }, (_, partition) =>
    Array.from({ length: replicationFactor }, (__, copy) => {
      const brokerId = brokerIds[(partition + copy) % brokerIds.length];
      assert(brokerId !== undefined, "a cluster has at least one broker");
      return brokerId;
    }),
  );
}
