/** `consume`: records as they come, alone or as a member of a group that remembers where it was. */
import type { Assignor } from "@minikafka/client";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { ConsumeOptions } from "../consume/consume-options.ts";
import type { Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { ISOLATION_HELP, parseIsolation, parseTimeout, wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { FORMAT_HELP } from "../output/format.ts";
import { addSharedOptions } from "../settings.ts";
import { formatOf, requireEnd } from "./fetch.ts";

const NOTE = `\
With -g the group shares out the partitions among all that consume with it, and
goes on where it has committed; where it has not, -o says: earliest (default) or
latest. What was printed is committed every 5 seconds, when a partition is taken
away, and at the end. After a kill what was not committed yet comes again.
Without -g it reads every partition from now on, or from -o earliest.

Ctrl-C commits and leaves the group, so that the others take over at once. A
reader that stops early, as head does, may leave printed records unread: -n is
exact. -e ends when all that was there when the command began was read.
With --timeout it ends with exit code 4 when nothing came for so long. While the
broker is gone it tries again for 10 seconds, or as long as --timeout says. With
several brokers and a manual clock a group waits for
minikafka-cli step replicate __consumer_offsets, from another terminal.

Formats (-f), "%v\\n" when none is given:
${FORMAT_HELP}`;

const ASSIGNORS: readonly Assignor[] = ["roundrobin", "range", "sticky"];

export function declareConsume(program: Command, perform: Perform): void {
  const command = program
    .command("consume")
    .summary("read topics as they grow, alone or in a group")
    .description("Prints records of topics as they come; with -g as a member of a consumer group.")
    .argument("<topic...>", "the topics' names")
    .option("-g, --group <group>", "the group to be a member of")
    .option(
      "-o, --offset <where>",
      "earliest or latest: where to begin when nothing is committed",
      parseReset,
    )
    .option("-n, --count <n>", "stop after so many records", wholeNumber(1))
    .option("-e, --exit", "stop when what is there now was read")
    .option("--fail-if-empty", "with -e: exit code 3 when there was no record")
    .option("--no-commit", "leave what the group has committed as it is")
    .addOption(
      new Option("--assignor <name>", "how the group shares out (default: roundrobin)").choices(ASSIGNORS),
    )
    .option(
      "--member <name>",
      "the member's name, kept from run to run; two at a time with one name both read all it has (default: a new one)",
    )
    .option(
      "--session-timeout <duration>",
      "a member silent for so long is expired (default: the broker's)",
      parseTimeout,
    )
    .option("--isolation <level>", ISOLATION_HELP, parseIsolation)
    .option("-f, --format <format>", "what to print for each record")
    .option("-Z, --null", "print NULL for a null key or value")
    .action((topics: string[], options: ConsumeOptions, self: Command) =>
      perform(
        self,
        async (context) => {
          requireSense(topics, options);
          const format = formatOf(context, options);
          const { consumeRecords } = await import("../consume/consume.ts");
          return consumeRecords(context, { topics, ...options, format });
        },
        { topic: topics[0], group: options.group },
      ),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli consume orders -g billing",
        "minikafka-cli consume orders payments -g billing -f '%t %p %o %v\\n'",
        "minikafka-cli consume orders -g billing -n 1 -J",
        "minikafka-cli consume orders -g audit --isolation read_committed",
        "minikafka-cli consume orders",
      ],
      NOTE,
    ),
  );
}

function parseReset(text: string): "earliest" | "latest" {
  if (text === "earliest" || text === "beginning" || text === "start") return "earliest";
  if (text === "latest" || text === "end") return "latest";
  throw new InvalidArgumentError("Expected earliest or latest; groups seek moves a group anywhere.");
}

/** Throws USAGE. */
function requireSense(topics: readonly string[], options: ConsumeOptions): void {
  if (new Set(topics).size < topics.length) throw new CliError("USAGE", "a topic is named twice");
  requireEnd(options);
  if (options.group !== undefined) return;
  const { commit, assignor, member, sessionTimeout } = options;
  const ofGroup = Object.entries({
    "--no-commit": commit ? undefined : true,
    "--assignor": assignor,
    "--member": member,
    "--session-timeout": sessionTimeout,
  }).find(([, value]) => value !== undefined);
  if (ofGroup !== undefined) throw new CliError("USAGE", `${ofGroup[0]} needs -g`);
}
