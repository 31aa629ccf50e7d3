/** What a handler of an operation is given, and what it gives back. */
import type { OperationName, ParsedRequest, ResponseFields } from "@minikafka/protocol";
import type { BrokerContext } from "../broker-context.ts";
import type { Client } from "../connections/client.ts";

/**
 * Takes effect before it returns, so that requests take effect in the order in which they came; only what it waits for may
 * come later (or it stands among those that hold back what follows: dispatch.ts). What is asked of one group or transaction keeps its
 * own order, also where it has to wait for a coordinator first (turns.ts): what is sent behind that to a log may come before it, and a
 * look at a log need not see it yet. Throws or rejects with a BrokerError for what the client should be told.
 */
export type Handler<Name extends OperationName> = (
  request: ParsedRequest<Name>,
  context: BrokerContext,
  client: Client,
) => ResponseFields<Name> | Promise<ResponseFields<Name>>;
