/** list_snapshots: by name. Refuses: STEPPING_DISABLED, STORAGE_ERROR. */
import { requirePast } from "../../snapshots/going-back.ts";
import type { Handler } from "../handler.ts";

export const listSnapshots: Handler<"list_snapshots"> = (_request, context) => ({
  snapshots: requirePast(context).list(),
});
