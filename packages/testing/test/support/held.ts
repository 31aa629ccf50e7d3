/** What this process holds of the system. */

/**
 * Sockets and whatever else keeps the process alive, by kind; but for timers, since this process has those of its test runner (starts.mjs
 * knows of those). Node keeps account of what is closed in the next turn.
 */
export async function held(): Promise<string[]> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const kinds = process.getActiveResourcesInfo().filter((kind) => kind !== "Timeout" && kind !== "Immediate");
  return kinds.sort();
}
