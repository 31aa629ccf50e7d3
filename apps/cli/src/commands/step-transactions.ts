/** `step expire-transactions`: what time does to transactions. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { tellLoads } from "./step-groups.ts";

const NOTE = `\
A transaction is due when it is open for longer than its timeout, so that with the default of 60s a clock that was
moved by 60s is not enough, and 61s are. tx list shows what is open, and since when. In auto mode the broker takes this
step every second; by hand it needs a broker started with --lab or --clock manual. With several brokers and a manual
clock an end takes rounds of replication: step replicate a few times from another terminal.`;

export function declareTransactionSteps(step: Command, perform: Perform): void {
  const transactions = step
    .command("expire-transactions")
    .summary("end transactions whose time is over or whose end is decided, forget unused ids")
    .description(
      "Aborts transactions that are open for longer than their timeout, finishes those whose end was decided and is not complete, forgets ids that were not used for a week, and ends what is open in a partition and known to no coordinator.",
    )
    .action((_options: unknown, self: Command) => perform(self, expireTransactions));
  addSharedOptions(transactions).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli step expire-transactions",
        "minikafka-cli clock advance 61s && minikafka-cli step expire-transactions",
      ],
      NOTE,
    ),
  );
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
    for (const { topic, partition, producer_id: id, producer_epoch: epoch, committed } of answer.repaired)
      context.notes.remark(
        `${topic}-${partition} had a transaction of producer ${id}, epoch ${epoch}, open that no coordinator knows of; it was ${committed ? "committed" : "aborted"}`,
      );
    tellLoads(context, answer.loaded);
    if (rows.length + answer.repaired.length + answer.loaded.length === 0)
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
