/** delete_snapshot: it is forgotten. Refuses: STEPPING_DISABLED, UNKNOWN_SNAPSHOT, STORAGE_ERROR. */
import { requirePast } from "../../snapshots/going-back.ts";
import type { Handler } from "../handler.ts";

export const deleteSnapshot: Handler<"delete_snapshot"> = ({ name }, context) => {
  requirePast(context).delete(name);
  return { name };
};
