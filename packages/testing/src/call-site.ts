/**
 * Where in a test a call stands, for what the call fails with later: by then nothing but timers and sockets is on the stack, and a report could
 * not name the line that has waited.
 */
import { MiniKafkaError } from "@minikafka/client";
import { WaitTimedOut } from "./waits.ts";

/** What `act` comes to. An error of ours that it fails with has the stack of who called `method`, which is to call this at once. */
export async function calledAs<Made>(
  method: (...given: never[]) => Promise<unknown>,
  act: () => Promise<Made>,
): Promise<Made> {
  const site = { stack: "" };
  Error.captureStackTrace(site, method);
  try {
    return await act();
  } catch (problem) {
    if (problem instanceof WaitTimedOut || problem instanceof MiniKafkaError) placeAt(site, problem);
    throw problem;
  }
}

function placeAt({ stack }: { readonly stack: string }, problem: Error): void {
  // Where somebody shows stacks in another way than as text, theirs stays.
  const frames = typeof stack === "string" ? stack.indexOf("\n    at ") : -1;
  if (frames >= 0) problem.stack = `${problem.name}: ${problem.message}${stack.slice(frames)}`;
}
