/** How often a fault acts. Further choices (probability by seed) are members of FaultTimes. */

/** Which of the matching hits it acts on, counted from 1 since it was armed. */
export type FaultTimes = "once" | "always" | { readonly nth: number } | { readonly first: number };

export function actsOn(times: FaultTimes, hit: number): boolean {
  if (times === "always") return true;
  if (times === "once") return hit === 1;
  return "nth" in times ? hit === times.nth : hit <= times.first;
}
