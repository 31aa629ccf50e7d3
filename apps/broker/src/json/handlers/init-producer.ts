/**
 * init_producer: when it answers, the identity is durable and nobody else's; with a transactional id, the transaction of the instance
 * before is over too. Refuses: INVALID_REQUEST, INVALID_CONFIG, PRODUCER_FENCED (a newer instance has the name or id),
 * UNKNOWN_PRODUCER_ID, STORAGE_ERROR, BROKER_FAILED; with a transactional id INVALID_TRANSACTION_TIMEOUT and as begin_transaction.
 */
import { BrokerError } from "@minikafka/core";
import { endTransactionOf } from "../../transaction-requests.ts";
import type { Handler } from "../handler.ts";
import { identityFields, namedIdentity } from "../identity-fields.ts";

export const initProducer: Handler<"init_producer"> = (request, context, client) => {
  const { name, transactional_id: transactionalId, transaction_timeout_ms: timeoutMs } = request;
  if (name !== undefined && transactionalId !== undefined)
    throw new BrokerError("INVALID_REQUEST", "name and transactional_id: expected one of them, not both");
  if (timeoutMs !== undefined && transactionalId === undefined) {
    const message = "transaction_timeout_ms: expected a transactional_id beside it";
    throw new BrokerError("INVALID_REQUEST", message);
  }
  const current = namedIdentity(request);
  if (transactionalId === undefined) {
    const named = name === undefined ? {} : { name };
    const held = current === undefined ? {} : { current };
    return identityFields(context.cluster.initProducer({ ...named, ...held }));
  }
  const init = { transactionalId, timeoutMs, current };
  const identity = endTransactionOf(transactionalId, context, client, (transactions, wait) =>
    transactions.init(init, wait),
  );
  return identity.then(identityFields);
};
