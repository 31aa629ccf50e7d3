/** `groups seek`: where a group goes on reading. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import type { SeekTarget } from "../groups/seek-plan.ts";
import { wholeNumber } from "../input/arguments.ts";
import { parseTime } from "../input/offset-spec.ts";
import { collectPartitions, type PartitionSpec } from "../input/partition-spec.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";

interface SeekOptions {
  readonly toEarliest?: true;
  readonly toLatest?: true;
  readonly toBeginning?: true;
  readonly toEnd?: true;
  readonly toOffset?: number;
  readonly toTime?: number;
  readonly shiftBy?: number;
  readonly topic?: readonly PartitionSpec[];
  readonly execute?: true;
}

const NOTE =
  "Kafka calls it --reset-offsets; groups reset is the same command. --to-earliest may be written --to-beginning, --to-latest\n" +
  "--to-end. Without --execute nothing changes: it prints what would. An offset that the log does not have becomes the nearest one.\n" +
  "While the group has members it is refused (exit code 5), since they would go on from their own positions.";

export function declareSeek(groups: Command, perform: Perform): void {
  const command = groups
    .command("seek")
    // As kafka-consumer-groups has it: --reset-offsets.
    .aliases(["reset", "reset-offsets"])
    .summary("move where a group without members goes on reading")
    .description(
      "Moves where a group without members goes on reading, in all partitions that it has committed.",
    )
    .argument("<group>", "the name")
    .option("--to-earliest", "to the first records that are still there")
    .option("--to-latest", "behind all records that are there")
    .addOption(new Option("--to-beginning", "as --to-earliest").hideHelp())
    .addOption(new Option("--to-end", "as --to-latest").hideHelp())
    .option("--to-offset <n>", "to this offset in each partition", wholeNumber(0))
    .option(
      "--to-time <time>",
      "to the first record of that time or later: 2026-01-31T12:00:00Z, or ms",
      parseTime,
    )
    .option("--shift-by <n>", "so many records further, or back when negative", parseShift)
    .option(
      "--topic <topic[:partitions]>",
      "only there, committed or not; repeat it for more",
      collectPartitions,
    )
    .option("--execute", "do it")
    .action((group: string, options: SeekOptions, self: Command) =>
      perform(
        self,
        async (context) => {
          const target = targetOf(options);
          const { seekGroup } = await import("../groups/seek.ts");
          const { topic: places, execute } = options;
          return seekGroup(context, { group, target, places, execute: execute === true });
        },
        { group },
      ),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli groups seek billing --to-earliest",
        "minikafka-cli groups seek billing --shift-by -10 --topic orders:0,2 --execute",
        "minikafka-cli groups seek billing --to-time 2026-01-31T12:00:00Z --topic orders --execute",
      ],
      NOTE,
    ),
  );
}

function targetOf(options: SeekOptions): SeekTarget {
  const { toOffset, toTime, shiftBy } = options;
  const targets: SeekTarget[] = [];
  if (options.toEarliest === true || options.toBeginning === true) targets.push({ kind: "earliest" });
  if (options.toLatest === true || options.toEnd === true) targets.push({ kind: "latest" });
  if (toOffset !== undefined) targets.push({ kind: "offset", offset: toOffset });
  if (toTime !== undefined) targets.push({ kind: "time", timestampMs: toTime });
  if (shiftBy !== undefined) targets.push({ kind: "shift", by: shiftBy });
  const [target] = targets;
  if (target !== undefined && targets.length === 1) return target;
  throw new CliError(
    "USAGE",
    "expected one of --to-earliest, --to-latest, --to-offset, --to-time and --shift-by",
  );
}

function parseShift(text: string): number {
  const by = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(by)) return by;
  throw new InvalidArgumentError("Expected a whole number, such as -10.");
}
