/** Where what happened is not what had happened. */
import type { Trace } from "../history/trace-lines.ts";

export interface FirstDifference {
  readonly entry: number;
  readonly saved: string | null;
  readonly replayed: string | null;
}

/** Entries that name files are compared as if both folders were in one place. */
export function firstDifference(
  saved: Pick<Trace, "head" | "entries">,
  replayed: { readonly entries: readonly string[]; readonly data: string },
): FirstDifference | null {
  const here = asText(saved.head.data);
  const there = asText(replayed.data);
  const entriesMax = Math.max(saved.entries.length, replayed.entries.length);
  for (let entry = 0; entry < entriesMax; entry += 1) {
    const one = saved.entries[entry] ?? null;
    const other = replayed.entries[entry] ?? null;
    if (one === other || one?.replaceAll(here, there) === other) continue;
    return { entry, saved: one, replayed: other };
  }
  return null;
}

/** As it stands in JSON. */
function asText(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}
