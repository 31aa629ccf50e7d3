/** A cluster's trace while it grows: printed, or saved in a file. */
import type { Client, ClientClock } from "@minikafka/client";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { CliError, failureOf } from "../failure.ts";
import { type Session, withSession } from "../session.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";
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
    const reader = new HistoryReader(unhurried(session.client, context));
    let isLastLook = exitAtEnd === true;
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
        if (news.hasEnded) throw historyEnded(news.diskError);
        if (news.hasMore) continue;
        if (isLastLook || !context.data.isOpen) break;
        await pause(session.client.clock, context.interrupted);
        // What happened before the user said that it is enough belongs to it.
        isLastLook = context.interrupted.aborted;
      }
      if (file !== null) context.notes.remark(`${file.lines} lines in ${save}`);
    } finally {
      await file?.finish();
    }
    return undefined;
  });
  return EXIT.ok;
}

/**
 * Looks that an interruption does not give up: what is asked for then is written down before the end. Whoever loads a snapshot lets all
 * others go, in the middle of what they ask; a look that was lost is taken once more, unless nobody is there any more to take it.
 */
function unhurried(client: Client, { settings }: Context): Pick<Session, "call"> {
  const timeoutMs = settings.timeoutMs ?? TIMEOUT_DEFAULT_MS;
  return {
    call: async (name, fields) => {
      // A request waits for as long as it may for somebody to connect to; this fails at once where nobody listens.
      if (!client.isConnected) await client.open();
      try {
        return await client.call(name, fields, { timeoutMs });
      } catch (error) {
        if (failureOf(error).code !== "CONNECTION") throw error;
        if (!client.isConnected) await client.open();
        return client.call(name, fields, { timeoutMs });
      }
    },
  };
}

/** Shorter when the user interrupts. */
function pause(clock: ClientClock, interrupted: AbortSignal): Promise<void> {
  if (interrupted.aborted) return Promise.resolve();
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

function historyEnded(diskError: string | null): CliError {
  const message =
    diskError === null
      ? "more has happened than the broker keeps, so that the trace ends here"
      : `the broker's disk has failed, which no replay meets, so that the trace ends here: ${diskError}`;
  return new CliError("HISTORY_ENDED", message, {
    details: diskError === null ? {} : { disk_error: diskError },
  });
}
