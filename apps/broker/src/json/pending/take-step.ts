/** A pending step taken as a request for it would be. */
import type { PendingStep } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";
import type { BrokerContext } from "../../broker-context.ts";
import type { Client } from "../../connections/client.ts";
import type { Handler } from "../handler.ts";
import { applyRetention } from "../handlers/apply-retention.ts";
import { compact } from "../handlers/compact.ts";
import { expireMembers } from "../handlers/expire-members.ts";
import { expireOffsets } from "../handlers/expire-offsets.ts";
import { expireProducers } from "../handlers/expire-producers.ts";
import { expireTransactions } from "../handlers/expire-transactions.ts";
import { flushLogs } from "../handlers/flush-logs.ts";
import { refreshIsr } from "../handlers/refresh-isr.ts";
import { replicateOnce } from "../handlers/replicate-once.ts";
import { pendingFields } from "./pending-fields.ts";

type StepName = PendingStep["operation"];
export type Did = ResponseFields<"run_until_quiet">["steps"][number]["did"];

const HANDLERS: { readonly [Name in StepName]: Handler<Name> } = {
  replicate_once: replicateOnce,
  refresh_isr: refreshIsr,
  flush_logs: flushLogs,
  expire_members: expireMembers,
  expire_offsets: expireOffsets,
  expire_transactions: expireTransactions,
  expire_producers: expireProducers,
  apply_retention: applyRetention,
  compact,
};

/** Begins it before this returns. Resolves with its answer, and rejects with its refusal. */
export async function takeStep(step: PendingStep, context: BrokerContext, client: Client): Promise<Did> {
  const { operation, fields } = pendingFields(step);
  const handle = HANDLERS[operation] as (
    request: object,
    context: BrokerContext,
    client: Client,
  ) => Promise<Did> | Did;
  return handle({ operation, ...fields }, context, client);
}
