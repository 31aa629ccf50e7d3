import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";
import { transaction } from "../transaction-fields.ts";

/** Kafka's EndTxn, with the epoch that rises at each end (KIP-890). */
export const endTransaction = operation({
  name: "end_transaction",
  summary:
    "Commits or aborts the open transaction: when it answers, every partition has its marker. The same end asked for again gets the same answer. A fetch that is sent before it is answered may not see it yet. An error with `decided` (commit or abort) in its details came behind the decision, which stands: it is completed by the next step, or when it is asked for again, whatever the code.",
  request: () => ({ ...transaction, commit: z.boolean() }),
  response: () =>
    z.object({
      producer_id: fields.producerId.describe(
        "for the next transaction; another one when the epochs of this are used up",
      ),
      producer_epoch: fields.producerEpoch.describe(
        "for the next transaction, in which sequences begin at 0",
      ),
    }),
});
