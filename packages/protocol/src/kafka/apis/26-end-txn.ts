/**
 * EndTxn: the transaction commits or aborts (KIP-98).
 *
 * Version 2 brought PRODUCER_FENCED (KIP-588), 4 TRANSACTION_ABORTABLE (KIP-890). Version 5, which gives the producer a new
 * epoch with every transaction, is not offered.
 */
import { boolean, int16, int32, int64, string } from "../field-types.ts";
import { api, field, struct } from "../schema.ts";

export const endTxn = api({
  key: 26,
  name: "EndTxn",
  versions: [0, 4],
  flexibleFrom: 3,
  request: struct({
    transactionalId: field(string),
    producerId: field(int64),
    producerEpoch: field(int16),
    /** False: aborts. */
    committed: field(boolean),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    errorCode: field(int16),
  }),
});
