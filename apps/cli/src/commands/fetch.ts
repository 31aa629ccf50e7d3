/** `fetch`: a topic's records, from where one says to where one says. */
import { type Command, InvalidArgumentError } from "commander";
import type { Context, Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import type { FetchOptions } from "../fetch/fetch-options.ts";
import { ISOLATION_HELP, parseIsolation, wholeNumber } from "../input/arguments.ts";
import { type OffsetSpec, parseOffsetSpec } from "../input/offset-spec.ts";
import { examples } from "../output/examples.ts";
import { compileFormat, FORMAT_HELP } from "../output/format.ts";
import { addSharedOptions } from "../settings.ts";

const BEGINNING: OffsetSpec = { kind: "beginning" };
const NOTE = `\
Formats (-f), "%v\\n" when none is given:
${FORMAT_HELP}

Offsets (-o): beginning, end, an offset, -N for the last N of each partition,
@MS or @2026-01-31T12:00:00Z for the first record at or after that time.

Without -e and -n it goes on with what is produced, until Ctrl-C; with --timeout
it ends with exit code 4 when nothing came for so long.
--isolation read_committed stops before the oldest open transaction, and -e where
that was; the markers that end transactions take offsets and are no records.
What -J prints, produce --jsonl takes; bytes that are not UTF-8 are under
key_b64 and value_b64.`;

export function declareFetch(program: Command, perform: Perform): void {
  const command = program
    .command("fetch")
    .alias("tail")
    .summary("read a topic's records")
    .description("Prints the records of a topic, of all its partitions when none is named.")
    .argument("<topic>", "the topic's name")
    .option("-p, --partition <n>", "one partition; repeat it for more", collectPartition)
    .option("-o, --offset <where>", "where to begin (default: beginning)", parseOffsetSpec)
    .option("-n, --count <n>", "stop after so many records", wholeNumber(1))
    .option("-e, --exit", "stop at the end: where each partition ended when the command began")
    .option("--fail-if-empty", "with -e: exit code 3 when there was no record")
    .option("--isolation <level>", ISOLATION_HELP, parseIsolation)
    .option("-f, --format <format>", "what to print for each record")
    .option("-Z, --null", "print NULL for a null key or value")
    .action((topic: string, options: Partial<FetchOptions>, self: Command) =>
      perform(
        self,
        async (context) => {
          const given = { offset: BEGINNING, ...options };
          requireEnd(given);
          const format = formatOf(context, given);
          const { fetchRecords } = await import("../fetch/fetch.ts");
          return fetchRecords(context, { topic, ...given, format });
        },
        topic,
      ),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli fetch orders -e",
        "minikafka-cli fetch orders -p 1 -e -J",
        "minikafka-cli fetch orders -o -10 -f '%p %o %k=%v\\n'",
        "minikafka-cli fetch orders -o end -n 1 --timeout 30s",
        "minikafka-cli fetch orders -e --isolation read_committed",
      ],
      NOTE,
    ),
  );
}

/** Throws USAGE: what has no end is never found to be empty. */
export function requireEnd({ failIfEmpty, exit }: Pick<FetchOptions, "failIfEmpty" | "exit">): void {
  if (failIfEmpty === true && exit !== true) throw new CliError("USAGE", "--fail-if-empty needs -e");
}

function collectPartition(text: string, before: readonly number[] = []): number[] {
  const partition = wholeNumber(0)(text);
  if (before.includes(partition)) throw new InvalidArgumentError("It is named twice.");
  return [...before, partition].sort((left, right) => left - right);
}

/** Throws USAGE for a format that is none, or beside -J. */
export function formatOf(
  { settings }: Context,
  options: Pick<FetchOptions, "format" | "null">,
): ReturnType<typeof compileFormat> {
  if (settings.json && (options.format !== undefined || options.null === true))
    throw new CliError("USAGE", `-J and ${options.format === undefined ? "-Z" : "-f"} exclude each other`);
  try {
    return compileFormat(options.format ?? "%v\\n", { nullText: options.null === true ? "NULL" : "" });
  } catch (error) {
    if (error instanceof RangeError) throw new CliError("USAGE", `-f: ${error.message}`);
    throw error;
  }
}
