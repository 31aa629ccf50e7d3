/**
 * InitProducerId: the id and epoch of an idempotent or transactional producer (KIP-98).
 *
 * Version 3 brought the id and epoch that the producer has, to go on with them (KIP-360), 4 PRODUCER_FENCED (KIP-588),
 * 5 TRANSACTION_ABORTABLE (KIP-890).
 */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, field, struct } from "../schema.ts";

export const initProducerId = api({
  key: 22,
  name: "InitProducerId",
  versions: [0, 5],
  flexibleFrom: 2,
  request: struct({
    /** Null: idempotent only. */
    transactionalId: field(string, { nullable: "0+" }),
    transactionTimeoutMs: field(int32),
    /** -1: none yet. */
    producerId: field(int64, { versions: "3+", default: -1 }),
    producerEpoch: field(int16, { versions: "3+", default: -1 }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    errorCode: field(int16),
    producerId: field(int64, { default: -1 }),
    producerEpoch: field(int16, { default: -1 }),
  }),
});
