/** `topics trim`: records are deleted up to an offset. */
import { type Command, InvalidArgumentError } from "commander";
import type { Perform } from "../context.ts";
import { DRY_RUN_HELP, showTrim } from "../deletions/dry-run.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

interface TrimOptions {
  readonly partition: number;
  readonly before: number;
  readonly dryRun?: true;
}

const HIGH_WATERMARK = -1;

export function declareTrim(topics: Command, perform: Perform): void {
  const command = topics
    .command("trim")
    .summary("delete the records of a partition below an offset")
    .description("Deletes the records of a partition below an offset, for good.")
    .argument("<topic>", "the name")
    .requiredOption("-p, --partition <n>", "the partition", wholeNumber(0))
    .requiredOption(
      "--before <offset>",
      "the first offset that stays; end: nothing that is visible now stays",
      parseBefore,
    )
    .option("--dry-run", DRY_RUN_HELP)
    .action((topic: string, { partition, before, dryRun }: TrimOptions, self: Command) =>
      perform(
        self,
        (context) =>
          withSession(context, async (session) => {
            if (dryRun === true) {
              await showTrim(context, session, { topic, partition, before });
              return undefined;
            }
            const { log_start_offset } = await session.call("delete_records", {
              topic,
              partition,
              before_offset: before,
            });
            if (context.settings.json) await context.data.json({ topic, partition, log_start_offset });
            else await context.data.line(`${topic} [${partition}] begins at offset ${log_start_offset}`);
            return undefined;
          }),
        topic,
      ),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples([
      "minikafka-cli topics trim orders -p 0 --before 100 --dry-run",
      "minikafka-cli topics trim orders -p 0 --before 100",
      "minikafka-cli topics trim orders -p 0 --before end",
    ]),
  );
}

function parseBefore(text: string): number {
  if (text === "end") return HIGH_WATERMARK;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected an offset, or "end".');
}
