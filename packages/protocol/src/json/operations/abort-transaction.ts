import { z } from "zod";
import { operation } from "../operation.ts";
import { transactionalId } from "../transaction-fields.ts";

/** Kafka: Admin.abortTransaction (KIP-664), which aborts one in one partition; here the coordinator does, in all of them. */
export const abortTransaction = operation({
  name: "abort_transaction",
  summary:
    "Aborts the open transaction of an id, whoever has it open: for an operator who does not want to wait for its timeout. Its producer is told TRANSACTION_ABORTED.",
  request: { transactional_id: transactionalId },
  response: z.object({ aborted: z.boolean().describe("false when none was open") }),
});
