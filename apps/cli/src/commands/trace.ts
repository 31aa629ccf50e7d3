/** `trace`: what came to a cluster and what it did, to be looked at, kept, and carried out once more. */
import type { Command } from "commander";
import type { Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE =
  "A trace needs a broker with --clock manual; others show their events by watch. It begins where the broker\n" +
  "began, whenever the command is started: > is a request, < its answer, . an event, x the end of a connection.\n" +
  "Ctrl-C ends it, with exit code 0. docs/traces.md describes the file.";

const REPLAY_NOTE =
  "The broker that carries the trace out is one of the command's own, with the settings that the file names. With\n" +
  "--check the exit code is 6 when something comes out in another way, and the first such entry is shown on both sides.";

export function declareTrace(program: Command, perform: Perform): void {
  const trace = program
    .command("trace")
    .summary("show, keep and replay all that happened to a cluster with a manual clock")
    .description("Shows every request, answer and event of a cluster from its start on, and what comes next.")
    .option("-s, --save <file>", "write it to a file instead, which trace replay reads")
    .option("-e, --exit", "stop at the end of what has happened by now")
    .action((options: { readonly save?: string; readonly exit?: boolean }, self: Command) =>
      perform(self, async (context) => {
        const { followTrace } = await import("../trace/follow.ts");
        const { save, exit } = options;
        return followTrace(context, { ...(save === undefined ? {} : { save }), exitAtEnd: exit === true });
      }),
    );
  const replay = trace
    .command("replay")
    .summary("carry a saved trace out once more on a fresh broker")
    .description("Carries out the requests of a saved trace on a fresh broker, and shows what comes of it.")
    .argument("<file>", "what trace --save has written")
    .option("-c, --check", "show nothing but the first difference to what had come of it")
    .action((path: string, options: { readonly check?: boolean }, self: Command) =>
      perform(self, async (context) => {
        const { replayTrace } = await import("../trace/replay.ts");
        return replayTrace(context, path, options.check === true);
      }),
    );
  addSharedOptions(trace).addHelpText(
    "after",
    examples(
      ["minikafka-cli trace", "minikafka-cli trace -e -J", "minikafka-cli trace --save experiment.ndjson"],
      NOTE,
    ),
  );
  addSharedOptions(replay).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli trace replay experiment.ndjson",
        "minikafka-cli trace replay experiment.ndjson --check",
      ],
      REPLAY_NOTE,
    ),
  );
}
