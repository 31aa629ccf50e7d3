/** diff_snapshots: two states side by side. Refuses: STEPPING_DISABLED, UNKNOWN_SNAPSHOT, HISTORY_ENDED, INVALID_CONFIG, STORAGE_ERROR. */
import { requirePast } from "../../snapshots/going-back.ts";
import type { Handler } from "../handler.ts";

export const diffSnapshots: Handler<"diff_snapshots"> = async ({ from, to }, context) => ({
  differences: await requirePast(context).diff(from, to),
});
