/** Where the partitions of a new topic go. */
import { assert } from "../assert.ts";

/**
 * Round robin, so that the leaders spread over the brokers: partition p is led by broker p modulo their number. Returns
 * each partition's leader. Pure: the same brokers in the same order give the same places.
 */
export function placeLeaders(partitions: number, brokerIds: readonly number[]): number[] {
  return Array.from({ length: partitions }, (_, partition) => {
    const leaderId = brokerIds[partition % brokerIds.length];
    assert(leaderId !== undefined, "a cluster has at least one broker");
    return leaderId;
  });
}
