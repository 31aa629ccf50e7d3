import { z } from "zod";
import { operation } from "../operation.ts";
import { snapshotName } from "../snapshot-fields.ts";

export const deleteSnapshot = operation({
  name: "delete_snapshot",
  summary: "Forgets a snapshot; the cluster stays as it is.",
  request: () => ({ name: snapshotName }),
  response: () => z.object({ name: z.string() }),
});
