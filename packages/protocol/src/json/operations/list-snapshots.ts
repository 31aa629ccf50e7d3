import { z } from "zod";
import { operation } from "../operation.ts";
import { listedSnapshot } from "../snapshot-fields.ts";

export const listSnapshots = operation({
  name: "list_snapshots",
  summary: "Lists the snapshots in memory and in the folder, by name.",
  request: () => ({}),
  response: () => z.object({ snapshots: z.array(listedSnapshot) }),
});
