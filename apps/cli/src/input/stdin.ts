/** Standard input as a loop reads it, ended early when the user interrupts: a terminal would otherwise be waited for for ever. */
import type { InputStream } from "../context.ts";

export async function* untilInterrupted(
  stdin: InputStream,
  interrupted: AbortSignal,
): AsyncGenerator<Buffer | string, void, undefined> {
  const stop = () => stdin.destroy();
  if (interrupted.aborted) return;
  interrupted.addEventListener("abort", stop);
  try {
    for await (const chunk of stdin) yield chunk;
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    interrupted.removeEventListener("abort", stop);
  }
}
