/** `step expire-transactions`: what time does to transactions. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { withSession } from "../session.ts";

/** Returns the commands, for their shared options. */
export function declareTransactionSteps(step: Command, perform: Perform): Command[] {
  const transactions = step
    .command("expire-transactions")
    .alias("transactions")
    .description(
      "Aborts transactions that are open for longer than their timeout, finishes those whose end was decided and is not complete, and forgets ids that were not used for a week.",
    )
    .action((_options: unknown, self: Command) => perform(self, expireTransactions));
  return [transactions];
}

function expireTransactions(context: Context): Promise<undefined> {
  return withSession(context, async (session) => {
    const answer = await session.call("expire_transactions", {});
    if (context.settings.json) {
      await context.data.json(answer);
      return undefined;
    }
    const rows = rowsOf(answer);
    await context.data.write(renderTable(["TRANSACTIONAL-ID", "OUTCOME"], rows));
    for (const { transactional_id: id, code, message } of answer.failed)
      context.notes.remark(`${id} could not be ended: ${code}: ${message}; the next step tries again`);
    if (rows.length === 0)
      context.notes.remark("no transaction is open for longer than its timeout, or waits for its end");
    return undefined;
  });
}

function rowsOf({ aborted, completed, forgotten, failed }: ParsedResponse<"expire_transactions">): Cell[][] {
  return [
    ...aborted.map((id) => [id, "aborted"]),
    ...completed.map((id) => [id, "completed"]),
    ...forgotten.map((id) => [id, "forgotten"]),
    ...failed.map(({ transactional_id: id }) => [id, "failed"]),
  ];
}
