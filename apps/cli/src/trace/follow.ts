/** A cluster's trace while it grows: printed, or saved in a file. */
import type { ClientClock } from "@minikafka/client";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { CliError } from "../failure.ts";
import { withSession } from "../session.ts";
import { HistoryReader } from "./history-reader.ts";
import { printEntry } from "./replay.ts";
import { TraceWriter } from "./trace-file.ts";

/** How often it is asked for more. Asking is no part of the history. */
const LOOK_MS = 200;

export interface FollowOptions {
  readonly save?: string;
  /** Stop where the history ends by now. */
  readonly exitAtEnd?: boolean;
}

export async function followTrace(context: Context, { save, exitAtEnd }: FollowOptions): Promise<ExitCode> {
  await withSession(context, async (session) => {
    const reader = new HistoryReader(session);
    const first = await reader.read();
    const file = save === undefined ? null : await TraceWriter.open(save);
    try {
      for (let news = first; ; news = await reader.read()) {
        if (news.beginsAnew) {
          await file?.beginAnew();
          context.notes.remark("a snapshot was loaded: the trace begins anew");
        }
        if (file !== null) await file.add(news.lines);
        else for (const line of news.lines) await printEntry(context, line);
        if (news.hasEnded) throw historyEnded();
        if (news.hasMore) continue;
        if (exitAtEnd || context.interrupted.aborted || !context.data.isOpen) break;
        await pause(session.client.clock, context.interrupted);
        if (context.interrupted.aborted) break;
      }
      if (file !== null) context.notes.remark(`${file.lines} lines in ${save}`);
    } finally {
      await file?.finish();
    }
    return undefined;
  });
  return EXIT.ok;
}

/** Shorter when the user interrupts. */
function pause(clock: ClientClock, interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      cancel();
      interrupted.removeEventListener("abort", over);
      resolve();
    };
    const cancel = clock.after(LOOK_MS, over);
    interrupted.addEventListener("abort", over);
  });
}

function historyEnded(): CliError {
  return new CliError(
    "HISTORY_ENDED",
    "more has happened than the broker keeps, so that the trace ends here",
    {
      hint: "start the broker with a larger --history-max-bytes",
    },
  );
}
