/** `clock`: the broker's time, and in manual mode its only mover. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { parseDuration } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { deadlineText } from "../steps/step-text.ts";

const NOTE = `\
With a manual clock a fetch that waits for records waits until one comes, or until
the clock is moved past its time (long_poll in step next). So does a client of
Kafka's that is being closed: it leaves its group once its last fetch is answered.`;

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
    .action((_options: unknown, self: Command) => perform(self, (context) => showClock(context, [])));
  const advance = clock
    .command("advance")
    .summary("move a manual clock forward")
    .description("Moves a manual clock forward; waits whose time has come end.")
    .argument("[duration]", "how far, such as 500ms, 10s or 7d", parseDuration)
    .option(
      "--to-next-deadline",
      "to the time at which a step has something to do, or a wait ends; see step next",
    )
    .action((ms: number | undefined, options: AdvanceOptions, self: Command) =>
      perform(self, (context) => advanceClock(context, ms, options)),
    );
  for (const command of [clock, show, advance]) {
    addSharedOptions(command).addHelpText(
      "after",
      examples(
        [
          "minikafka-cli clock",
          "minikafka-cli clock advance 10s",
          "minikafka-cli clock advance --to-next-deadline && minikafka-cli step next",
        ],
        NOTE,
      ),
    );
  }
}

interface AdvanceOptions {
  readonly toNextDeadline?: boolean;
}

async function advanceClock(
  context: Context,
  ms: number | undefined,
  { toNextDeadline = false }: AdvanceOptions,
): Promise<undefined> {
  if ((ms === undefined) !== toNextDeadline)
    throw new CliError("USAGE", "clock advance takes a duration, or --to-next-deadline");
  return ms === undefined ? advanceToDeadline(context) : showClock(context, await jumpsOf(ms));
}

async function jumpsOf(ms: number): Promise<readonly number[]> {
  const { clockJumps } = await import("@minikafka/protocol");
  const jumps = clockJumps(ms);
  if (jumps === null) throw new CliError("USAGE", "a clock is moved by a century at most");
  return ms === 0 ? [0] : jumps;
}

function advanceToDeadline(context: Context): Promise<undefined> {
  return withSession(context, async (session) => {
    const { now_ms: beforeMs, deadlines, steps } = await session.call("pending_steps", {});
    const [first] = deadlines;
    if (first === undefined)
      throw new CliError("NOT_FOUND", "time alone brings nothing: there is no deadline", {
        hint:
          steps.length === 0
            ? "no step is pending either: only what clients ask, or clock advance DURATION, brings more"
            : "steps are pending, and may bring more: minikafka-cli step next shows them, step until-quiet takes them",
      });
    const { clockJumps } = await import("@minikafka/protocol");
    const jumps = clockJumps(first.due_at_ms - beforeMs);
    if (jumps === null)
      throw new CliError(
        "NOT_FOUND",
        `time alone brings nothing within a century: ${deadlineText(first, beforeMs)}`,
      );
    let now_ms = beforeMs;
    for (const ms of jumps) ({ now_ms } = await session.call("advance_clock", { ms }));
    if (context.settings.json) await context.data.json({ now_ms, deadline: first });
    else
      await context.data.line(
        `${new Date(now_ms).toISOString()}  ${now_ms}  ${deadlineText(first, beforeMs)}`,
      );
    return undefined;
  });
}

/** Moved by `jumps` first. */
function showClock(context: Context, jumps: readonly number[]): Promise<undefined> {
  return withSession(context, async (session) => {
    let now_ms: number | null = null;
    for (const ms of jumps) ({ now_ms } = await session.call("advance_clock", { ms }));
    now_ms ??= (await session.call("clock", {})).now_ms;
    if (context.settings.json) await context.data.json({ now_ms });
    else await context.data.line(`${new Date(now_ms).toISOString()}  ${now_ms}`);
    return undefined;
  });
}
