/** What `tx list` and `tx describe` show, as kafka-transactions does (KIP-664). */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Context } from "../context.ts";
import { placesText } from "../groups/group-description.ts";
import { type Cell, renderFacts, renderTable } from "../output/table.ts";
import { timeCell, timeText } from "../output/time.ts";
import type { TransactionState } from "./transaction-state.ts";

type Listed = ParsedResponse<"list_transactions">;
type Described = ParsedResponse<"describe_transaction">;

const LIST_HEADERS = [
  "TRANSACTIONAL-ID",
  "STATE",
  "PRODUCER",
  "PRODUCER-EPOCH",
  "PARTITIONS",
  "STARTED",
  "COORDINATOR",
];

/** Prints a table, or one document. */
export async function listTransactions(
  context: Context,
  listed: Listed,
  states: readonly TransactionState[] | undefined,
): Promise<void> {
  if (context.settings.json) return context.data.json(listed);
  const { transactions, unreadable } = listed;
  await context.data.write(renderTable(LIST_HEADERS, transactions.map(listRow)));
  remarkUnreadable(context, unreadable);
  if (transactions.length + unreadable.length > 0) return;
  context.notes.remark(
    states === undefined
      ? "no transactional ids yet; the first is made by: minikafka-cli produce TOPIC --transactional-id ID"
      : `no transactional id is in the state ${states.join(" or ")}`,
  );
}

function listRow(each: Listed["transactions"][number]): Cell[] {
  return [
    each.transactional_id,
    each.state,
    each.producer_id,
    each.producer_epoch,
    each.partitions,
    timeCell(each.started_ms),
    each.coordinator_id,
  ];
}

/** Ids are missing then, and nobody can tell which. */
function remarkUnreadable({ notes }: Context, unreadable: Listed["unreadable"]): void {
  for (const { partition, code, message } of unreadable)
    notes.remark(`the ids in __transaction_state [${partition}] are missing: ${code}: ${message}`);
  if (unreadable.length > 0)
    notes.remark(
      "minikafka-cli describe shows which brokers run, promote __transaction_state BROKER -p N lets another one lead",
    );
}

/** Prints one id: facts, or one document. */
export function showTransaction(context: Context, transaction: Described): Promise<void> {
  if (context.settings.json) return context.data.json(transaction);
  const { partitions, last_end: lastEnd } = transaction;
  const gone = partitions.filter((place) => place.gone === true);
  const left = partitions.filter((place) => place.gone !== true);
  return context.data.write(
    renderFacts([
      ["TRANSACTIONAL-ID", transaction.transactional_id],
      ["STATE", transaction.state],
      ["PRODUCER", transaction.producer_id],
      ["PRODUCER-EPOCH", transaction.producer_epoch],
      ["TIMEOUT-MS", transaction.timeout_ms],
      ["STARTED", timeCell(transaction.started_ms)],
      ["PARTITIONS", placesText(left)],
      ...(gone.length > 0 ? [["PARTITIONS-GONE", placesText(gone)] as const] : []),
      ["LAST-END", lastEnd === null ? null : endText(lastEnd)],
      ["COORDINATOR", transaction.coordinator_id],
    ]),
  );
}

/** `commit,request,2026-01-31T12:00:00.000Z`: one word for awk. */
function endText({ committed, cause, ended_ms: endedMs }: NonNullable<Described["last_end"]>): string {
  return `${committed ? "commit" : "abort"},${cause},${timeText(endedMs)}`;
}
