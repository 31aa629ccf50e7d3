/** `broker`: stop and start one of the brokers that the daemon hosts, or have the daemon die. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

export function declareBroker(program: Command, perform: Perform): void {
  const broker = program
    .command("broker")
    .summary("stop and start one of the brokers that the daemon hosts, or have it crash")
    .description(
      "Stops and starts one of the brokers that the daemon hosts. Nothing is elected meanwhile: what it leads has no leader " +
        "until one is promoted, what it follows falls behind.",
    );
  const commands = (["stop", "start"] as const).map((act) =>
    broker
      .command(act)
      .summary(act === "stop" ? "flush and close all that a broker has open" : "open its logs again")
      .description(
        act === "stop" ? "Flushes and closes all that a broker has open." : "Opens its logs again.",
      )
      .argument("<broker>", "the broker's id", wholeNumber(0))
      .action((brokerId: number, _options: unknown, self: Command) =>
        perform(self, (context) => change(context, act, brokerId)),
      ),
  );
  const crash = broker
    .command("crash")
    .summary("have the daemon's process die at once")
    .description(
      "Has the process of all its brokers die at once, as by kill -9: nothing is flushed. It needs a broker started with --lab or " +
        "--clock manual; start it again to see what it recovers.",
    )
    .action((_options: unknown, self: Command) => perform(self, crashAll));
  const shown = ["minikafka-cli broker stop 1", "minikafka-cli broker start 1", "minikafka-cli broker crash"];
  for (const command of [broker, ...commands, crash])
    addSharedOptions(command).addHelpText("after", examples(shown));
}

function change(context: Context, act: "stop" | "start", brokerId: number): Promise<undefined> {
  return withSession(context, async (session) => {
    const changed = await session.call(act === "stop" ? "stop_broker" : "start_broker", {
      broker_id: brokerId,
    });
    if (context.settings.json) await context.data.json(changed);
    else {
      const end = changed.clean ? "cleanly" : "uncleanly";
      const said =
        act === "stop"
          ? `stopped broker ${brokerId} ${end}`
          : `started broker ${brokerId}, which had ended ${end}`;
      await context.data.line(said);
    }
    return undefined;
  });
}

function crashAll(context: Context): Promise<undefined> {
  return withSession(context, async ({ client }) => {
    await client.faults().crash({ signal: context.interrupted });
    if (context.settings.json) await context.data.json({ crashed: true });
    else await context.data.line("the broker's process is gone");
    return undefined;
  });
}
