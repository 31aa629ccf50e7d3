/** `lab`: lessons over a real broker, with a question before each outcome. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { renderTable } from "../output/table.ts";
import { addSharedOptions, namesBroker } from "../settings.ts";

const NOTE = `\
A lab starts a broker of its own on a temporary folder, with a clock that only its steps move, and removes both in the end.
With --broker it uses one that runs already: empty, with --clock manual, and as many brokers as the lab's first line says; labs that
kill their broker refuse that. What is printed under a command is what that command prints; a: before it says that it runs in another
terminal. docs/lessons.md has the same lessons with all that the kernel tells.`;

/** The environment's is for everyday work. */
const BROKER_HELP =
  "an empty broker to run it on (default: one of the lab's own, whatever the environment says)";
const CONTEXT_HELP = "the same, by the name that context add has given it";

export function declareLab(program: Command, perform: Perform): void {
  const lab = program
    .command("lab")
    .alias("labs")
    .summary("run a lesson over a real broker")
    .description("Lessons of a few minutes each: what is done to a broker, and what comes of it.");
  const list = lab
    .command("list")
    .alias("ls")
    .summary("list the labs")
    .description("Lists the labs in the order in which to take them.")
    .action((_options: unknown, self: Command) => perform(self, listLabs));
  const run = lab
    .command("run")
    .summary("run a lab")
    .description("Runs a lab: tells, asks, does, and shows what came of it.")
    .argument("<name>", "its name, or its number")
    .option("--step", "wait for Enter after each question")
    .action((name: string, { step }: { readonly step?: true }, self: Command) =>
      perform(self, async (context) => {
        const { runLab } = await import("../labs/lab-run.ts");
        // Only one that is named on the command line.
        const broker = namesBroker(self) ? context.settings.broker().address : null;
        return runLab(context, name, { step: step === true, broker });
      }),
    );
  const shown = ["minikafka-cli lab list", "minikafka-cli lab run high-watermark --step"];
  for (const command of [lab, list, run])
    addSharedOptions(command, { broker: BROKER_HELP, context: CONTEXT_HELP }).addHelpText(
      "after",
      examples(shown, NOTE),
    );
}

async function listLabs(context: Context): Promise<undefined> {
  const { LABS } = await import("../labs/labs.ts");
  const labs = LABS.map(({ name, title }, index) => ({ number: index + 1, name, title }));
  if (context.settings.json) await context.data.json({ labs });
  else {
    const rows = labs.map(({ number, name, title }) => [number, name, title]);
    await context.data.write(renderTable(["LAB", "NAME", "TITLE"], rows));
  }
  return undefined;
}
