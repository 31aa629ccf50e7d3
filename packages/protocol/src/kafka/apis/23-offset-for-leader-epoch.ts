/**
 * OffsetForLeaderEpoch: where the records of a leader's epoch end, by which a reader finds out that its own were cut off
 * (KIP-101, KIP-320).
 *
 * Version 2 brought the current epoch that the reader knows, 3 who asks.
 */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const offsetForLeaderEpoch = api({
  key: 23,
  name: "OffsetForLeaderEpoch",
  versions: [2, 4],
  flexibleFrom: 4,
  request: struct({
    /** -1 for a consumer, -2 for who does not say. */
    replicaId: field(int32, { versions: "3+", default: -2 }),
    topics: field(
      arrayOf(
        struct({
          topic: field(string),
          partitions: field(
            arrayOf(
              struct({
                partition: field(int32),
                /** -1: the reader does not know it, and nothing is checked. */
                currentLeaderEpoch: field(int32, { default: -1 }),
                leaderEpoch: field(int32),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    topics: field(
      arrayOf(
        struct({
          topic: field(string),
          partitions: field(
            arrayOf(
              struct({
                errorCode: field(int16),
                partition: field(int32),
                /** The largest epoch up to the one asked for that has records; -1 for none. */
                leaderEpoch: field(int32, { default: -1 }),
                endOffset: field(int64, { default: -1 }),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
