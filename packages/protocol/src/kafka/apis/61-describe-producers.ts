/** DescribeProducers: who has written to a partition with a producer id, as its leader knows them (KIP-664). */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

const producer = struct({
  producerId: field(int64),
  producerEpoch: field(int32),
  /** -1: none. */
  lastSequence: field(int32, { default: -1 }),
  lastTimestamp: field(int64, { default: -1 }),
  /** Of who ended its last transaction; -1: none. */
  coordinatorEpoch: field(int32),
  /** Where its open transaction begins; -1: it has none. */
  currentTxnStartOffset: field(int64, { default: -1 }),
});

export const describeProducers = api({
  key: 61,
  name: "DescribeProducers",
  versions: [0, 0],
  flexibleFrom: 0,
  request: struct({
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitionIndexes: field(arrayOf(int32)),
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
                errorMessage: field(string, { nullable: "0+", default: null }),
                activeProducers: field(arrayOf(producer)),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
