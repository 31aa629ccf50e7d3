/** save_snapshot: a name for the present state. Refuses: STEPPING_DISABLED, HISTORY_ENDED, SNAPSHOTS_FULL, STORAGE_ERROR. */
import { requirePast } from "../../snapshots/going-back.ts";
import type { Handler } from "../handler.ts";

export const saveSnapshot: Handler<"save_snapshot"> = ({ name, keep }, context) =>
  requirePast(context).save(name, keep);
