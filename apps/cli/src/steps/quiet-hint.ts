/** What helps a cluster that is not quiet, by what hinders it: more steps, a fault that holds, a disk, or a broker that is gone. */

/** `unquiet` as run_until_quiet tells it. */
export function quietHint(unquiet: unknown): string {
  const kinds = Array.isArray(unquiet) ? unquiet.map((each: { readonly what?: unknown }) => each.what) : [];
  if (kinds.includes("steps_left"))
    return "step until-quiet goes on with the rest, and a higher --max-steps takes more at once; step next shows what is left";
  if (kinds.includes("broker_failed"))
    return "a broker that has failed is stopped and started anew: broker stop ID, then broker start ID";
  if (Array.isArray(unquiet) && unquiet.some((each: { readonly held_by?: unknown }) => each.held_by))
    return "fault list shows what is held, and fault release RULE lets it go";
  if (kinds.includes("step_failed")) return "step next shows what is left; fault list shows what is armed";
  return "what waits needs a broker started, or in-sync replicas judged anew: step isr, once the lag time is over";
}
