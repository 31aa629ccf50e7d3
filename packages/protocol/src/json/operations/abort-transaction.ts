import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";
import { transactionalId } from "../transaction-fields.ts";

/**
 * Kafka: Admin.abortTransaction (KIP-664), which aborts one in one partition, and has to be told its producer's id and epoch; here the
 * coordinator does, in all of them.
 */
export const abortTransaction = operation({
  name: "abort_transaction",
  summary:
    "Aborts the open transaction of an id, whoever has it open: for an operator who does not want to wait for its timeout. Its producer is told TRANSACTION_ABORTED. With a producer id and epoch (both or neither) it aborts that producer's transaction alone, and may be asked for again: a request that comes late never ends the next one.",
  request: () => ({
    transactional_id: transactionalId,
    producer_id: fields.producerId
      .optional()
      .describe("whose transaction is meant, as describe_transaction shows it; default: whichever is open"),
    producer_epoch: fields.producerEpoch.optional().describe("in which it is open"),
  }),
  response: () =>
    z.object({
      aborted: z
        .boolean()
        .describe(
          "false when none was open, or the one that is meant was over; true again for the one that was aborted so before, while it is the id's last that ended",
        ),
    }),
});
