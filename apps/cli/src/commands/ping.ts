/** `ping`: is it there, and how far away. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { brokerText } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

export function declarePing(program: Command, perform: Perform): void {
  const command = program
    .command("ping")
    .summary("see whether the broker answers, and how fast")
    .description("Connects, asks, and prints how long the answer took. Exit code 7 when nobody answers.")
    .action((_options: unknown, self: Command) => perform(self, ping));
  addSharedOptions(command).addHelpText(
    "after",
    examples(["minikafka-cli ping", "until minikafka-cli ping -q >/dev/null 2>&1; do sleep 1; done"]),
  );
}

function ping(context: Context): Promise<undefined> {
  return withSession(context, async (session) => {
    const { name, version } = await session.call("hello", {});
    const start = performance.now();
    await session.call("ping", {});
    const roundTripMs = Number((performance.now() - start).toFixed(3));
    const { address, context: named } = context.settings.broker();
    const broker = brokerText(address);
    if (context.settings.json)
      await context.data.json({ broker, context: named, name, version, round_trip_ms: roundTripMs });
    else {
      const of = named === null ? "" : ` (context ${named})`;
      await context.data.line(`${broker}${of} answers: ${name} ${version}, ${roundTripMs} ms`);
    }
    return undefined;
  });
}
