/**
 * TxnOffsetCommit: a group's offsets, which count when the transaction commits (KIP-98).
 *
 * Version 2 brought leader epochs (KIP-320), 3 the member and its generation (KIP-447), 4 TRANSACTION_ABORTABLE (KIP-890).
 */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const txnOffsetCommit = api({
  key: 28,
  name: "TxnOffsetCommit",
  versions: [0, 4],
  flexibleFrom: 3,
  request: struct({
    transactionalId: field(string),
    groupId: field(string),
    producerId: field(int64),
    producerEpoch: field(int16),
    /** -1: no member. */
    generationId: field(int32, { versions: "3+", default: -1 }),
    memberId: field(string, { versions: "3+", default: "" }),
    groupInstanceId: field(string, { versions: "3+", nullable: "3+", default: null }),
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                committedOffset: field(int64),
                committedLeaderEpoch: field(int32, { versions: "2+", default: -1 }),
                committedMetadata: field(string, { nullable: "0+" }),
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
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                errorCode: field(int16),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
