/** The work of `raw`: lines out and answers back at once, so that a long input neither waits nor piles up. */
import type { Context } from "../context.ts";
import { EXIT, type ExitCode, exitCodeFor } from "../exit-codes.ts";
import { CliError } from "../failure.ts";
import { brokerText } from "../input/arguments.ts";
import { splitMessages } from "../input/lines.ts";
import { untilInterrupted } from "../input/stdin.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";
import { LOST, RawLink } from "./raw-link.ts";

const NEWLINE = Buffer.from("\n");
/** More than any broker takes, so that its own refusal is what one sees. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
/** Of what is no answer: enough to see that it was, say, an HTTP server's. */
const SHOWN_CHARACTERS_MAX = 80;

/** Prints an answer for each request. The exit code is that of the first refusal; throws CONNECTION, TIMEOUT and INVALID_ANSWER. */
export async function raw(context: Context, requests: readonly string[]): Promise<ExitCode> {
  const { settings } = context;
  const link = await RawLink.open(settings.broker().address, settings.timeoutMs ?? TIMEOUT_DEFAULT_MS);
  const stop = () => link.close();
  context.interrupted.addEventListener("abort", stop);
  // It may have come while the link was opened.
  if (context.interrupted.aborted) stop();
  context.data.onClosed(stop);
  try {
    const [outcome] = await Promise.all([printAnswers(context, link), sendRequests(context, link, requests)]);
    return context.interrupted.aborted ? EXIT.interrupted : outcome;
  } finally {
    context.interrupted.removeEventListener("abort", stop);
    link.close();
  }
}

async function sendRequests(context: Context, link: RawLink, requests: readonly string[]): Promise<void> {
  try {
    if (requests.length > 0) {
      // A request may be typed over several lines; on the wire it is one.
      for (const request of requests) await link.send(Buffer.from(request.replace(/[\r\n]+/g, " ")));
    } else {
      if (context.stdin.isTTY === true) context.notes.remark("type one request a line; Ctrl-D ends");
      const options = { delimiter: NEWLINE, dropCarriageReturn: true, messageBytesMax: LINE_BYTES_MAX };
      for await (const lines of splitMessages(
        untilInterrupted(context.stdin, context.interrupted),
        options,
      )) {
        for (const line of lines) await link.send(line);
      }
    }
    link.end();
  } catch (error) {
    link.close();
    throw error;
  }
}

/** Prints until every request has its answer. The exit code is that of the first refusal. */
async function printAnswers(context: Context, link: RawLink): Promise<ExitCode> {
  let outcome: ExitCode = EXIT.ok;
  for await (const line of link.answers(context.settings.timeoutMs)) {
    const text = line.toString("utf8");
    if (outcome === EXIT.ok) outcome = outcomeOf(text, brokerText(context.settings.broker().address));
    await context.data.write(`${text}\n`);
  }
  if (link.unanswered > 0 && !context.interrupted.aborted && context.data.isOpen) {
    throw new CliError(
      "CONNECTION",
      `${brokerText(context.settings.broker().address)} closed the connection with ${link.unanswered} requests unanswered`,
      LOST,
    );
  }
  return outcome;
}

/** Throws INVALID_ANSWER: whoever sends no JSON there is no broker. */
function outcomeOf(text: string, broker: string): ExitCode {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    const start = JSON.stringify(text.slice(0, SHOWN_CHARACTERS_MAX));
    throw new CliError("INVALID_ANSWER", `what ${broker} answers is not JSON; it begins ${start}`);
  }
  if (answer === null || typeof answer !== "object" || !("ok" in answer) || answer.ok !== false)
    return EXIT.ok;
  return exitCodeFor("code" in answer ? String(answer.code) : "");
}
