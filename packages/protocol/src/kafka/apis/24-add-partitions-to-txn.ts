/**
 * AddPartitionsToTxn: partitions that the transaction is about to write to (KIP-98).
 *
 * Version 2 brought PRODUCER_FENCED (KIP-588). Versions 4 and 5, with many transactions at once, are spoken between brokers
 * only (KIP-890), and are not offered.
 */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const addPartitionsToTxn = api({
  key: 24,
  name: "AddPartitionsToTxn",
  versions: [0, 3],
  flexibleFrom: 3,
  request: struct({
    transactionalId: field(string),
    producerId: field(int64),
    producerEpoch: field(int16),
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(arrayOf(int32)),
        }),
      ),
    ),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    results: field(
      arrayOf(
        struct({
          name: field(string),
          resultsByPartition: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                partitionErrorCode: field(int16),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
