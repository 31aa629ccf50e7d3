/** `watch`: what happens in the cluster, while it happens. */
import type { EventKind, WatchedEvent } from "@minikafka/protocol";
import { nearest } from "@minikafka/record";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { CliError, failureOf } from "../failure.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { shownEvent } from "../watch/shown-event.ts";

interface WatchOptions {
  readonly kind?: readonly string[];
  readonly count?: number;
  readonly requests?: boolean;
}

const NOTE = `\
It ends at Ctrl-C, or after -n events, with exit code 0; when the connection is
lost it fails, since what happened then is not known. A line has the event's
number, its time, its kind, its place as topic[partition]@broker, and its facts.
events_dropped says that the broker could not wait for this command to read.
With --requests a request is shown when it is taken and when it has ended, with
ok or an error's code, and the number of the event before it. What a client
sent and nobody can read (request_refused) is shown without it as well.
The kinds are listed in docs/reference/protocol.md; a wrong one is refused with
the one that was meant, or with all of them.`;

export function declareWatch(program: Command, perform: Perform): void {
  const command = program
    .command("watch")
    .summary("show what happens, while it happens")
    .description("Prints one line for each event: of the topics that are named, else of the whole cluster.")
    .argument("[topics...]", "only events of these topics")
    .option("-k, --kind <kind>", "only events of this kind; repeat it for more", collectKind)
    .option("-r, --requests", "also each request that the broker takes, and how it ended")
    .option("-n, --count <n>", "stop after so many events", wholeNumber(1))
    .action((topics: string[], options: WatchOptions, self: Command) =>
      perform(self, (context) => watch(context, topics, options)),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli watch",
        "minikafka-cli watch orders -k isr_changed -k leader_changed",
        "minikafka-cli watch --requests",
        "minikafka-cli watch -k request_done -J",
        "minikafka-cli watch -k high_watermark_moved -n 1 -J",
      ],
      NOTE,
    ),
  );
}

function collectKind(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Ctrl-C is how a watch ends, and no failure. */
async function watch(
  context: Context,
  topics: readonly string[],
  { kind, count = Number.POSITIVE_INFINITY, requests }: WatchOptions,
): Promise<ExitCode> {
  const fields = {
    ...(topics.length === 0 ? {} : { topics: [...topics] }),
    // Which kinds there are is the broker's to say: it may be newer than this command.
    ...(kind === undefined ? {} : { kinds: [...kind] as EventKind[] }),
    ...(requests === true ? { requests } : {}),
  };
  await withSession(context, async ({ client }) => {
    const events = client.watch(fields, (event) => event);
    const stop = () => void events.close();
    context.interrupted.addEventListener("abort", stop);
    if (context.interrupted.aborted) stop();
    context.data.onClosed(stop);
    let left = count;
    try {
      await opened(events, kind ?? []);
      for (const topic of events.absentTopics)
        context.notes.remark(`there is no topic ${topic} yet; what happens to it is shown once there is`);
      context.notes.remark("watching; Ctrl-C ends it");
      for await (const event of events) {
        await print(context, event);
        left -= 1;
        if (left === 0) break;
      }
    } finally {
      context.interrupted.removeEventListener("abort", stop);
    }
    return undefined;
  });
  return EXIT.ok;
}

/** Throws what the broker does, and for a kind that is nearly one what it nearly is in place of all that there are. */
async function opened(events: { open(): Promise<unknown> }, kinds: readonly string[]): Promise<void> {
  try {
    await events.open();
  } catch (error) {
    if (failureOf(error).code !== "INVALID_REQUEST") throw error;
    const { EVENT_KINDS } = await import("@minikafka/protocol");
    const stranger = kinds.find((each) => !EVENT_KINDS.includes(each as EventKind));
    const meant = stranger === undefined ? null : nearest(stranger, EVENT_KINDS);
    if (meant === null) throw error;
    throw new CliError("INVALID_REQUEST", `there is no kind of event ${stranger}`, {
      hint: `did you mean ${meant}? docs/reference/protocol.md lists the kinds`,
    });
  }
}

function print(context: Context, event: WatchedEvent): Promise<void> {
  return context.settings.json ? context.data.json(event) : context.data.line(shownEvent(event));
}
