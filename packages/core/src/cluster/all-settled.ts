/** Doing the same to many, where one's failure must not keep the others from their turn. */
import { BrokerError } from "../errors.ts";

/**
 * Resolves when every promise has resolved. When some reject, waits for the rest and rejects with one of the problems:
 * first of all with one that is not the world's doing.
 */
export async function allSettled(promises: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  const problems = results.flatMap((result): unknown[] =>
    result.status === "rejected" ? [result.reason] : [],
  );
  if (problems.length > 0) throw problems.find((problem) => !(problem instanceof BrokerError)) ?? problems[0];
}
