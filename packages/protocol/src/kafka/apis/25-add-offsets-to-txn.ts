/**
 * AddOffsetsToTxn: the transaction is about to commit offsets of a group (KIP-98).
 *
 * Version 2 brought PRODUCER_FENCED (KIP-588), 4 TRANSACTION_ABORTABLE (KIP-890).
 */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, field, struct } from "../schema.ts";

export const addOffsetsToTxn = api({
  key: 25,
  name: "AddOffsetsToTxn",
  versions: [0, 4],
  flexibleFrom: 3,
  request: struct({
    transactionalId: field(string),
    producerId: field(int64),
    producerEpoch: field(int16),
    groupId: field(string),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    errorCode: field(int16),
  }),
});
