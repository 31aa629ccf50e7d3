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

/**
 * What keeps this process alive, timers as well, once it is `before` (of `held`) and nothing else: the test runner's own timers are over in
 * a moment. After as many turns as some seconds have it is what stays.
 */
export async function settled(before: readonly string[]): Promise<string[]> {
  let kinds: string[] = [];
  for (let turn = 0; turn < 300_000; turn += 1) {
    kinds = process.getActiveResourcesInfo().filter((kind) => kind !== "Immediate");
    if (kinds.sort().join() === before.join()) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return kinds;
}
