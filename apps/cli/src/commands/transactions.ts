/** `tx`: which transactional ids there are, how each stands, and an end by hand. */
import { type Command, InvalidArgumentError } from "commander";
import type { Context, Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { listTransactions, showTransaction } from "../transactions/transaction-description.ts";
import { TRANSACTION_STATES, type TransactionState } from "../transactions/transaction-state.ts";

const STATES_NOTE = `\
States: ${TRANSACTION_STATES.join(", ")}.
ongoing is open; prepare_… is decided, and some partition still waits for its marker, which the broker
goes on writing by itself; complete_… and empty: the next transaction may begin.`;

interface ListOptions {
  readonly state?: TransactionState[];
}

export function declareTransactions(program: Command, perform: Perform): void {
  const tx = program
    .command("tx")
    .alias("transactions")
    .summary("list, describe and abort transactions")
    .description("Transactions: which ids there are, how each stands, and an end by hand.");
  declareList(tx, perform);
  declareDescribe(tx, perform);
  declareAbort(tx, perform);
  addSharedOptions(tx).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli tx list --state ongoing",
        "minikafka-cli tx describe billing",
        "minikafka-cli tx abort billing",
      ],
      "produce TOPIC --transactional-id ID writes in a transaction; fetch and consume hide what was aborted\n" +
        "with --isolation read_committed.",
    ),
  );
}

function declareList(tx: Command, perform: Perform): void {
  const command = tx
    .command("list")
    .alias("ls")
    .summary("list the transactional ids, with their states")
    .description("Lists the transactional ids by name. What cannot be listed now is told.")
    .option("--state <state>", "only those in this state; repeat it for more", collectState)
    .action((options: ListOptions, self: Command) => perform(self, (context) => list(context, options)));
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli tx list",
        "minikafka-cli tx list --state ongoing --state prepare_commit",
        "minikafka-cli tx list -J | jq -r '.transactions[].transactional_id'",
      ],
      STATES_NOTE,
    ),
  );
}

function declareDescribe(tx: Command, perform: Perform): void {
  const command = tx
    .command("describe")
    .summary("show how a transactional id stands")
    .description(
      "Shows how a transactional id stands: its state, its producer, its partitions, its last end.",
    )
    .argument("<id>", "the transactional id")
    .action((id: string, _options: unknown, self: Command) =>
      perform(self, (context) => describe(context, id)),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      ["minikafka-cli tx describe billing", "minikafka-cli tx describe billing -J | jq .partitions"],
      `${STATES_NOTE}\nLAST-END says why: request (its producer asked), timeout, fenced (a newer instance began), operator (tx abort).`,
    ),
  );
}

function declareAbort(tx: Command, perform: Perform): void {
  const command = tx
    .command("abort")
    .summary("abort the open transaction of an id")
    .description("Aborts the open transaction of an id, so that nobody has to wait for its timeout.")
    .argument("<id>", "the transactional id")
    .action((id: string, _options: unknown, self: Command) => perform(self, (context) => abort(context, id)));
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      ["minikafka-cli tx abort billing", "minikafka-cli tx abort billing -J | jq .aborted"],
      "Its records stay hidden from read_committed readers for good, its offsets are forgotten, and its producer is told\n" +
        "TRANSACTION_ABORTED. An id without an open transaction is left as it is. Exit code 3 for an id that is not there.",
    ),
  );
}

/** Also with dashes. */
function collectState(text: string, before: TransactionState[] = []): TransactionState[] {
  const named = TRANSACTION_STATES.find((state) => state === text.replaceAll("-", "_"));
  if (named === undefined)
    throw new InvalidArgumentError(`Expected one of ${TRANSACTION_STATES.join(", ")}.`);
  return before.includes(named) ? before : [...before, named];
}

function list(context: Context, { state: states }: ListOptions): Promise<undefined> {
  return withSession(context, async (session) => {
    const answer = await session.call("list_transactions", states === undefined ? {} : { states });
    await listTransactions(context, answer, states);
    return undefined;
  });
}

function describe(context: Context, transactionalId: string): Promise<undefined> {
  return withSession(context, async (session) => {
    await showTransaction(
      context,
      await session.call("describe_transaction", { transactional_id: transactionalId }),
    );
    return undefined;
  });
}

function abort(context: Context, transactionalId: string): Promise<undefined> {
  return withSession(context, async (session) => {
    const { aborted } = await session.call("abort_transaction", { transactional_id: transactionalId });
    if (context.settings.json) await context.data.json({ transactional_id: transactionalId, aborted });
    else
      await context.data.line(
        aborted
          ? `aborted the open transaction of ${transactionalId}`
          : `${transactionalId} has no open transaction`,
      );
    return undefined;
  });
}
