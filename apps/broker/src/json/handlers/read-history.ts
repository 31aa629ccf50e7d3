/** read_history: what happened, from a line on. Refuses: STEPPING_DISABLED, HISTORY_ENDED (the folder was too large at the start). */
import { requirePast } from "../../snapshots/going-back.ts";
import type { Handler } from "../handler.ts";

export const readHistory: Handler<"read_history"> = ({ from, max_bytes: bytesMax }, context) =>
  requirePast(context).read(from, bytesMax);
