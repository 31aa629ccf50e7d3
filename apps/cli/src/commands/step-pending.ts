/** `step next` and `step until-quiet`: what is pending, and all of it taken. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { deadlineRow, didText, stepCommand } from "../steps/step-text.ts";

const NOTE =
  "A step that is not listed would do nothing. step next changes nothing: each line says what would come of it if the step were\n" +
  "taken now, and the second table when time alone brings more, for clock advance --to-next-deadline. step until-quiet takes what\n" +
  "is pending, from the top, until nothing is; the clock stays where it is. It ends with exit code 5 when a step has failed or waits,\n" +
  "when somebody waits for an acknowledgement that no step brings, or a broker has failed. Both need a broker started with --lab or --clock manual.";

const SHOWN = [
  "minikafka-cli step next",
  "minikafka-cli step next orders -J",
  "minikafka-cli step until-quiet",
  "minikafka-cli clock advance --to-next-deadline && minikafka-cli step next",
];

interface QuietOptions {
  readonly maxSteps?: number;
}

export function declarePendingSteps(step: Command, perform: Perform): void {
  const next = step
    .command("next")
    .summary("show what each step would do, before it is taken")
    .description("Shows the steps that would do something now, with what that is, and when time brings more.")
    .argument("[topic]", "only what is pending for one topic")
    .action((topic: string | undefined, _options: unknown, self: Command) =>
      perform(self, (context) => showNext(context, topic), topic),
    );
  const untilQuiet = step
    .command("until-quiet")
    .summary("take pending steps until none is left")
    .description("Takes pending steps until none would do anything, and lists what each did.")
    .option("--max-steps <n>", "end after so many steps (default: 1000)", wholeNumber(1))
    .action((options: QuietOptions, self: Command) => perform(self, (context) => takeAll(context, options)));
  for (const command of [next, untilQuiet])
    addSharedOptions(command).addHelpText("after", examples(SHOWN, NOTE));
}

function showNext(context: Context, topic: string | undefined): Promise<undefined> {
  return withSession(context, async (session) => {
    const answer = await session.call("pending_steps", topic === undefined ? {} : { topic });
    if (context.settings.json) {
      await context.data.json(answer);
      return undefined;
    }
    const { now_ms: nowMs, steps, deadlines } = answer;
    const pending = steps.map((each): Cell[] => [stepCommand(each), each.says]);
    await context.data.write(renderTable(["STEP", "WOULD"], pending));
    if (pending.length > 0 && deadlines.length > 0) await context.data.line("");
    const due = deadlines.map((each) => deadlineRow(each, nowMs));
    await context.data.write(renderTable(["AFTER", "COMES", "OF", "FOR"], due));
    if (pending.length === 0) context.notes.remark("no step would do anything now");
    return undefined;
  });
}

function takeAll(context: Context, { maxSteps }: QuietOptions): Promise<undefined> {
  return withSession(context, async (session) => {
    const fields = maxSteps === undefined ? {} : { max_steps: maxSteps };
    const answer = await session.call("run_until_quiet", fields);
    if (context.settings.json) await context.data.json(answer);
    else {
      const rows = answer.steps.map((each): Cell[] => [stepCommand(each), each.outcome, didText(each)]);
      await context.data.write(renderTable(["STEP", "OUTCOME", "DID"], rows));
      if (rows.length === 0 && answer.quiet) context.notes.remark("no step would do anything now");
    }
    if (!answer.quiet) throw notQuiet(answer);
    return undefined;
  });
}

function notQuiet({ unquiet }: ParsedResponse<"run_until_quiet">): CliError {
  return new CliError("NOT_QUIET", unquiet.map(({ says }) => says).join("; "), { details: { unquiet } });
}
