/** load_snapshot: back to what was. Refuses: STEPPING_DISABLED, UNKNOWN_SNAPSHOT, INVALID_CONFIG (it needs other settings), STORAGE_ERROR. */
import { requirePast } from "../../snapshots/going-back.ts";
import type { Handler } from "../handler.ts";

export const loadSnapshot: Handler<"load_snapshot"> = ({ name, accept_difference }, context, client) =>
  requirePast(context).load(name, client, accept_difference);
