/** `clock`: the broker's time, and in manual mode its only mover. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { parseDuration } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

export function declareClock(program: Command, perform: Perform): void {
  const clock = program
    .command("clock")
    .summary("read the broker's clock, or move it in manual mode")
    .description(
      "The broker's clock. Any broker tells it; only one started with --clock manual lets it be moved.",
    );
  const show = clock
    .command("show", { isDefault: true })
    .summary("read the clock")
    .description("Reads the clock without moving it.")
    .action((_options: unknown, self: Command) => perform(self, (context) => showClock(context, null)));
  const advance = clock
    .command("advance")
    .summary("move a manual clock forward")
    .description("Moves a manual clock forward; waits whose time has come end.")
    .argument("<duration>", "how far, such as 500ms, 10s or 1h", parseDuration)
    .action((ms: number, _options: unknown, self: Command) =>
      perform(self, (context) => showClock(context, ms)),
    );
  for (const command of [clock, show, advance]) {
    addSharedOptions(command).addHelpText(
      "after",
      examples(["minikafka-cli clock", "minikafka-cli clock advance 10s"]),
    );
  }
}

function showClock(context: Context, advanceMs: number | null): Promise<undefined> {
  return withSession(context, async (session) => {
    const { now_ms } = await (advanceMs === null
      ? session.call("clock", {})
      : session.call("advance_clock", { ms: advanceMs }));
    if (context.settings.json) await context.data.json({ now_ms });
    else await context.data.line(`${new Date(now_ms).toISOString()}  ${now_ms}`);
    return undefined;
  });
}
