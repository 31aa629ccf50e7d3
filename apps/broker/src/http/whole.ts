/** Whether there is a whole state to tell of. */
import type { HttpSite } from "./endpoint.ts";
import { HttpRefusal } from "./http-answer.ts";

/** Throws HttpRefusal while a state is put in the place of another, or there is none any more. */
export function requireWhole({ context, unready }: Pick<HttpSite, "context" | "unready">): void {
  const [reason] = unready().filter(({ code }) => code === "LOADING_SNAPSHOT" || code === "CRASHED");
  if (reason !== undefined) throw new HttpRefusal("NOT_READY", reason.message);
  if (context.cluster.state !== "running") throw new HttpRefusal("NOT_READY", "the broker stops");
}
