/** DescribeTransactions: what the coordinator knows of transactional ids (KIP-664). */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

const transactionState = struct({
  errorCode: field(int16),
  transactionalId: field(string),
  transactionState: field(string),
  transactionTimeoutMs: field(int32),
  /** -1: none is open. */
  transactionStartTimeMs: field(int64),
  producerId: field(int64),
  producerEpoch: field(int16),
  topics: field(
    arrayOf(
      struct({
        topic: field(string),
        partitions: field(arrayOf(int32)),
      }),
    ),
  ),
});

export const describeTransactions = api({
  key: 65,
  name: "DescribeTransactions",
  versions: [0, 0],
  flexibleFrom: 0,
  request: struct({ transactionalIds: field(arrayOf(string)) }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    transactionStates: field(arrayOf(transactionState)),
  }),
});
