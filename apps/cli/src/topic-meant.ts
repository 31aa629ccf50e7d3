/** Which topic somebody may have meant where the broker knows none of the name: one list of those that it has, and only then. */
import type { Admin } from "@minikafka/client";
import { nearest } from "@minikafka/record";
import { CliError, failureOf } from "./failure.ts";

/** The list is a courtesy: who is kept waiting for it learns of the error later. */
const LOOK_MS = 1_000;

/**
 * The error to tell instead of `error`: with the topic that is nearest to the one that there is not, and without the advice to
 * create what was mistyped. `error` itself where it is another one, where nothing is near, and where no list is to be had.
 */
export async function withTopicMeant(
  error: unknown,
  admin: Pick<Admin, "listTopics">,
  signal: AbortSignal,
): Promise<unknown> {
  const { code, message, details, hint } = failureOf(error);
  const { topic } = details;
  // What this program has found itself may be of another cluster's topics.
  if (code !== "UNKNOWN_TOPIC" || typeof topic !== "string" || error instanceof CliError) return error;
  if (hint !== undefined || signal.aborted) return error;
  const listed = await admin.listTopics({ signal, timeoutMs: LOOK_MS }).catch(() => []);
  const meant = nearest(
    topic,
    listed.map((each) => each.topic),
  );
  if (meant === null || meant === topic) return error;
  return new CliError("UNKNOWN_TOPIC", message, {
    details,
    hint: `did you mean ${meant}? minikafka-cli topics list shows them all`,
  });
}
