/** `check`: for monitors, whether a cluster is well. */
import type { Command } from "commander";
import type { CheckOptions } from "../check/check.ts";
import type { Bounds } from "../check/judgement.ts";
import { CHECK } from "../command-words.ts";
import type { Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { parseDuration, wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE = `\
A line as Nagios's plugins print it, and with -J a document. Exit codes are those of plugins, here alone: 0 OK, 1 WARNING, 2 CRITICAL,
3 UNKNOWN, which is also the end of a line that cannot be meant.
CRITICAL: nobody answers, a broker has failed, a partition has no leader or fewer replicas in sync than min_insync_replicas, a copy
cannot be read (STORAGE_ERROR), a bound of --…-critical is passed. WARNING: a broker is stopped, a partition is under-replicated,
a bound of --…-warning is passed. UNKNOWN: what was asked cannot be told, such as the lag of a group that there is not.
Lag is that of all partitions of a group together. Behind the bar stands what was measured: value;warning;critical;least.`;

interface Given {
  readonly group?: readonly string[];
  readonly lagWarning?: number;
  readonly lagCritical?: number;
  readonly transactionAgeWarning?: number;
  readonly transactionAgeCritical?: number;
}

export function declareCheck(program: Command, perform: Perform): void {
  const command = program
    .command(CHECK)
    .summary("tell a monitor whether the cluster is well")
    .description(
      "Looks at brokers, partitions and, where asked, groups and transactions, and judges them in one line.",
    )
    .option(
      "--group <group>",
      "tell how far it is behind; repeat it for more (default: all, where that is bounded)",
      collect,
    )
    .option("--lag-warning <n>", "a group is more records behind", wholeNumber(0))
    .option("--lag-critical <n>", "the same, and worse", wholeNumber(0))
    .option("--transaction-age-warning <duration>", "a transaction is open for longer", parseDuration)
    .option("--transaction-age-critical <duration>", "the same, and worse", parseDuration)
    .action((given: Given, self: Command) =>
      perform(self, async (context) => {
        const options = optionsOf(given);
        const { check } = await import("../check/check.ts");
        return check(context, options);
      }),
    );
  const shown = [
    "minikafka-cli check",
    "minikafka-cli check --group billing --lag-warning 100 --lag-critical 1000",
    "minikafka-cli check --transaction-age-warning 1m --transaction-age-critical 15m",
    "minikafka-cli check -J | jq -r .status",
  ];
  addSharedOptions(command).addHelpText("after", examples(shown, NOTE));
}

function collect(group: string, before: readonly string[] = []): string[] {
  return [...before, group];
}

/** Throws USAGE. */
function optionsOf(given: Given): CheckOptions {
  const lag = { warning: given.lagWarning, critical: given.lagCritical };
  const transactionAgeMs = { warning: given.transactionAgeWarning, critical: given.transactionAgeCritical };
  requireOrder("--lag", lag);
  requireOrder("--transaction-age", transactionAgeMs);
  return { groups: given.group ?? null, lag, transactionAgeMs };
}

function requireOrder(option: string, { warning, critical }: Bounds): void {
  if (warning !== undefined && critical !== undefined && warning > critical)
    throw new CliError("USAGE", `${option}-warning is above ${option}-critical`);
}
