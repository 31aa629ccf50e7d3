/**
 * What requests of transactions have in common, in whichever protocol they come: their turn, and their patience.
 *
 * An end changes groups as well, since it makes offsets count or forgets them: who looks at one behind it waits for it.
 */
import type { BrokerCluster } from "@minikafka/core";
import type { BrokerContext } from "./broker-context.ts";
import type { Client } from "./connections/client.ts";
import { ALL, type Turn, Turns, type Whose } from "./connections/turns.ts";
import type { Waiter } from "./deadlines.ts";
import { ANSWER_MS, passWithin, withinTime } from "./time-limit.ts";

type Transactions = BrokerCluster["transactions"];
type Ask<Answer> = (transactions: Transactions, wait: { readonly giveUp: AbortSignal }) => Promise<Answer>;

/** Changes a transaction, behind what the client asked of it before; REQUEST_TIMED_OUT leaves open whether it has changed. */
export function changeTransaction<Answer>(
  transactionalId: string,
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  return client.transactionTurns.change(transactionalId, () => asked({ transactionalId }, context, ask));
}

/** Changes a transaction and a group. */
export function changeBoth<Answer>(
  both: { readonly transactionalId: string; readonly groupId: string },
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  return Turns.change(turnsOf(both, client), () =>
    asked({ transactionalId: both.transactionalId, groupId: both.groupId }, context, ask),
  );
}

/** Ends a transaction, which may be one that has offsets of any group. */
export function endTransactionOf<Answer>(
  transactionalId: string,
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  return Turns.change(turnsOf({ transactionalId, groupId: ALL }, client), () =>
    asked({ transactionalId }, context, ask),
  );
}

/** A step that ends transactions, whichever are due. One that cannot be ended in time is a part of the answer. */
export function changeTransactions<Answer>(
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  const { cluster, deadlines } = context;
  return Turns.change(turnsOf({ transactionalId: ALL, groupId: ALL }, client), () =>
    passWithin(ANSWER_MS, deadlines, { request: "expire_transactions" }, (giveUp) =>
      ask(cluster.transactions, { giveUp }),
    ),
  );
}

function turnsOf(
  { transactionalId, groupId }: { readonly transactionalId: Whose; readonly groupId: Whose },
  { transactionTurns, groupTurns }: Client,
): readonly Turn[] {
  return [
    [transactionTurns, transactionalId],
    [groupTurns, groupId],
  ];
}

/** Looks at a transaction, with all that the client has done in it before. */
export function lookAtTransaction<Answer>(
  transactionalId: string,
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  return client.transactionTurns.look(transactionalId, () => asked({ transactionalId }, context, ask));
}

/** Looks at all transactions, with all that the client has done in them before. */
export function lookAtTransactions<Answer>(
  context: BrokerContext,
  client: Client,
  ask: Ask<Answer>,
): Promise<Answer> {
  return client.transactionTurns.look(ALL, () => asked({ request: "list_transactions" }, context, ask));
}

function asked<Answer>(of: Waiter, { cluster, deadlines }: BrokerContext, ask: Ask<Answer>): Promise<Answer> {
  return withinTime(ANSWER_MS, deadlines, of, (giveUp) => ask(cluster.transactions, { giveUp }));
}
