/** `topics grow`: a topic gets more partitions. */
import type { Command } from "commander";
import type { Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

interface GrowOptions {
  readonly partitions?: number;
}

export function declareGrow(topics: Command, perform: Perform): void {
  const command = topics
    .command("grow")
    .summary("give a topic more partitions")
    .description(
      "Gives a topic more partitions. Records stay where they are; from then on a key may go to another partition.",
    )
    .argument("<topic>", "the name")
    .argument("[partitions]", "how many in all, more than there are; or -p", wholeNumber(1))
    .option("-p, --partitions <n>", "how many in all, more than there are", wholeNumber(1))
    .action((topic: string, bare: number | undefined, options: GrowOptions, self: Command) =>
      perform(
        self,
        (context) => {
          const partitions = bare ?? options.partitions;
          if (partitions === undefined || (bare !== undefined && options.partitions !== undefined))
            throw new CliError("USAGE", "expected the number of partitions once, bare or by -p");
          return withSession(context, async (session) => {
            const grown = await session.call("create_partitions", { topic, partitions });
            if (context.settings.json) await context.data.json(grown);
            else await context.data.line(`${grown.topic} has ${grown.partitions} partitions`);
            return undefined;
          });
        },
        topic,
      ),
    );
  addSharedOptions(command).addHelpText("after", examples(["minikafka-cli topics grow orders 6"]));
}
