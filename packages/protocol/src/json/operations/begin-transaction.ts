import { z } from "zod";
import { operation } from "../operation.ts";
import { transaction } from "../transaction-fields.ts";

/** Kafka has no request for it: there a transaction begins with its first partition (AddPartitionsToTxn). */
export const beginTransaction = operation({
  name: "begin_transaction",
  summary:
    "Opens a transaction, whose time runs from here on. CONCURRENT_TRANSACTIONS while the one before is being completed.",
  request: () => transaction,
  response: () => z.object({}),
});
