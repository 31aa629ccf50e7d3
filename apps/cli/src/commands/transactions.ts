/** `tx`: which transactional ids there are, how each stands, and an end by hand. */
import type { AbortTransactionOptions } from "@minikafka/client";
import { type Command, InvalidArgumentError } from "commander";
import type { Context, Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { withSession } from "../session.ts";
import { addSharedOptions, TIMEOUT_DEFAULT_MS } from "../settings.ts";
import { listTransactions, showTransaction } from "../transactions/transaction-description.ts";
import { TRANSACTION_STATES, type TransactionState } from "../transactions/transaction-state.ts";

const STATES_NOTE = `\
States: ${TRANSACTION_STATES.join(", ")}.
ongoing is open; prepare_… is decided, and some partition still waits for its marker, which the broker
goes on writing by itself; complete_… and empty: the next transaction may begin.`;

interface AbortOptions {
  readonly producerId?: number;
  readonly producerEpoch?: number;
}

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
    .option("--producer-id <n>", "the one of this producer alone, as tx list shows it", wholeNumber(0))
    .option("--producer-epoch <n>", "in which that is open", wholeNumber(0))
    .action((id: string, options: AbortOptions, self: Command) =>
      perform(self, (context) => abort(context, id, options)),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli tx abort billing",
        "minikafka-cli tx abort billing -J | jq .aborted",
        "minikafka-cli tx abort billing --producer-id 3 --producer-epoch 7",
      ],
      "Its records stay hidden from read_committed readers for good, its offsets are forgotten, and its producer is told\n" +
        "TRANSACTION_ABORTED. An id without an open transaction is left as it is. Exit code 3 for an id that is not there.\n" +
        "It aborts the one that is open when it looks, and none that is begun later; with --producer-id and --producer-epoch\n" +
        "that one, so that it may be repeated when its answer was lost.",
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

function abort(context: Context, transactionalId: string, options: AbortOptions): Promise<undefined> {
  const producer = meantBy(options);
  const { interrupted: signal, settings } = context;
  const timeoutMs = settings.timeoutMs ?? TIMEOUT_DEFAULT_MS;
  return withSession(context, async ({ client }) => {
    const aborted = await client.admin().abortTransaction(transactionalId, { producer, signal, timeoutMs });
    if (settings.json) await context.data.json({ transactional_id: transactionalId, aborted });
    else await context.data.line(abortText(transactionalId, aborted, producer));
    return undefined;
  });
}

function meantBy({ producerId, producerEpoch }: AbortOptions): AbortTransactionOptions["producer"] {
  if (producerId !== undefined && producerEpoch !== undefined) return { producerId, producerEpoch };
  if (producerId === undefined && producerEpoch === undefined) return undefined;
  throw new CliError("USAGE", "--producer-id and --producer-epoch: expected both or neither");
}

function abortText(id: string, aborted: boolean, meant: AbortTransactionOptions["producer"]): string {
  if (meant === undefined)
    return aborted ? `aborted the open transaction of ${id}` : `${id} has no open transaction`;
  const which = `the transaction of ${id} by producer ${meant.producerId} of epoch ${meant.producerEpoch}`;
  return aborted ? `aborted ${which}` : `${which} is not open`;
}
