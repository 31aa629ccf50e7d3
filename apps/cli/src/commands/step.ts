/** `step`: the broker's background work, taken by hand. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE =
  "In auto mode the broker takes these steps by itself: a flush every 5 seconds.\n" +
  "By hand they need a broker started with --lab or --clock manual.";

export function declareStep(program: Command, perform: Perform): void {
  const step = program
    .command("step")
    .summary("take the broker's background work by hand")
    .description(
      "Takes one step of the broker's background work. It needs a broker started with --lab or --clock manual.",
    );
  const flush = step
    .command("flush")
    .description("Makes everything durable that was written before.")
    .action((_options: unknown, self: Command) =>
      perform(self, (context) => inSession(context, (session) => flushAll(context, session))),
    );
  const shown = ["minikafka-cli step flush"];
  for (const command of [step, flush]) addSharedOptions(command).addHelpText("after", examples(shown, NOTE));
}

function inSession(context: Context, act: (session: Session) => Promise<void>): Promise<undefined> {
  return withSession(context, async (session) => {
    await act(session);
    return undefined;
  });
}

async function flushAll(context: Context, session: Session): Promise<void> {
  await session.call("flush_logs", {});
  if (context.settings.json) return context.data.json({ flushed: true });
  return context.data.line("flushed all logs");
}
