/** `produce`: records in, where each of them landed out. */
import { type Command, InvalidArgumentError } from "commander";
import type { Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import {
  collectHeader,
  collectValue,
  parseAcks,
  parseCompression,
  parseDelimiter,
  parseTimeout,
  wholeNumber,
} from "../input/arguments.ts";
import { requireConsistent } from "../input/record-options.ts";
import { examples } from "../output/examples.ts";
import type { ProduceOptions } from "../produce/produce-options.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE = `\
Prints where each record landed, in the order of the input; on a terminal, of a
file that is long, the first few and the sum of the rest. What fetch -J
prints, --jsonl takes: a line has value or value_b64 (null is a tombstone), and
may have key or key_b64, headers, partition and timestamp.
A record that is refused ends the command; the error names its line.

With --transactional-id a new run under the same id ends what the one before has
open, and fences it. The transaction begins at once, before the first line is
read, and its time runs while stdin is waited for. What is printed of a record
says where it lies; it is committed only when the command ends with 0. fetch and consume leave out what is open or was aborted with
--isolation read_committed; without, they show it. tx list shows what is open.`;

export function declareProduce(program: Command, perform: Perform): void {
  const command = declareStrength(declareRecords(program.command("produce")))
    .summary("write records to a topic, from stdin or from -v")
    .description(
      "Writes each line of stdin as one record, or the one given with -v. A line ends with \\n or \\r\\n; with -D, with that alone.",
    )
    .action((topic: string, options: ProduceOptions & { readonly null?: true }, self: Command) =>
      perform(
        self,
        async (context) => {
          const given = { ...options, emptyIsNull: options.null === true };
          requireConsistent(given);
          requireAcksAll(given);
          const { produce } = await import("../produce/produce.ts");
          return produce(context, topic, given);
        },
        topic,
      ),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "echo created | minikafka-cli produce orders -k alice",
        "minikafka-cli produce orders -v paid -k alice -H source=web --acks all",
        "minikafka-cli produce orders -K : --idempotent < pairs.txt",
        "minikafka-cli produce orders -K : --transactional-id import < pairs.txt",
        "minikafka-cli fetch orders -e -J | minikafka-cli produce copy --jsonl --compression zstd",
      ],
      NOTE,
    ),
  );
}

/** What becomes a record, and where it goes. */
function declareRecords(command: Command): Command {
  return command
    .argument("<topic>", "the topic's name")
    .option(
      "-v, --value <text>",
      "one record with this value; repeat it for more; stdin is left alone",
      collectValue,
    )
    .option("-k, --key <text>", "the key of every record; without one, the producer picks the partition")
    .option(
      "-K, --key-delimiter <text>",
      "each line is its key, this, and its value; \\t and the like are understood",
      parseDelimiter,
    )
    .option("-D, --delimiter <text>", "what ends a record on stdin instead of a newline", parseDelimiter)
    .option("-p, --partition <n>", "the partition, instead of the one that the key chooses", wholeNumber(0))
    .option(
      "-H, --header <name=value>",
      "a header of every record; repeat it for more; without = it has no value",
      collectHeader,
    )
    .option("-Z, --null", "an empty value becomes null, a tombstone")
    .option("--jsonl", "each line is a record in JSON")
    .option(
      "--compression <codec>",
      "none, gzip, snappy, lz4 or zstd: what batches are compressed with, where that makes them smaller (default: none)",
      parseCompression,
    );
}

/** When a record counts, and with which others. */
function declareStrength(command: Command): Command {
  return command
    .option("--acks <0|1|all>", "when a record counts as written (default: 1)", parseAcks)
    .option("--idempotent", "each record once and in order, whatever breaks on the way; with --acks all")
    .option(
      "--name <text>",
      "with --idempotent: a name that this producer keeps; a new run under it fences the one before",
    )
    .option(
      "--transactional-id <id>",
      "all of the input is one transaction of this id: committed at its end, aborted on an error and at Ctrl-C",
      parseTransactionalId,
    )
    .option(
      "--transaction-timeout <duration>",
      "with --transactional-id: the broker aborts it when it is open for longer (default: 60s)",
      parseTimeout,
    );
}

/** A broker can know a record that comes again only where it keeps what it has acknowledged. */
function requireAcksAll(options: ProduceOptions): void {
  const { idempotent, acks, name, transactionalId, transactionTimeout } = options;
  if (name !== undefined && transactionalId !== undefined)
    throw new CliError("USAGE", "--transactional-id and --name exclude each other; the id is a name");
  if (name !== undefined && idempotent !== true) throw new CliError("USAGE", "--name needs --idempotent");
  if (transactionTimeout !== undefined && transactionalId === undefined)
    throw new CliError("USAGE", "--transaction-timeout needs --transactional-id");
  const strict = transactionalId !== undefined ? "--transactional-id" : idempotent ? "--idempotent" : null;
  if (strict === null || acks === undefined || acks === "all") return;
  throw new CliError("USAGE", `${strict} and --acks ${acks} exclude each other`);
}

/** The broker refuses an empty one as well, but not before the first record is read. */
function parseTransactionalId(text: string): string {
  if (text === "") throw new InvalidArgumentError("Expected a name.");
  return text;
}
