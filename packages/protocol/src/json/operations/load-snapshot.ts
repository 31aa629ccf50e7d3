import { z } from "zod";
import * as fields from "../fields.ts";
import { operation } from "../operation.ts";
import { snapshot, snapshotName } from "../snapshot-fields.ts";

export const loadSnapshot = operation({
  name: "load_snapshot",
  summary:
    "Makes the cluster be as it was: its folder is put back, and all that had happened is done once more. It is done in memory first: where it does not come out as it was, the load is refused with STORAGE_ERROR and nothing is touched. Every other connection is closed, since its client knows of things that have not happened. When the daemon dies meanwhile, the next one has the state from before; told to stop, it finishes the load first.",
  request: () => ({
    name: snapshotName,
    accept_difference: z
      .boolean()
      .default(false)
      .describe("load it also where it does not come out as it was; the answer says where"),
  }),
  response: () =>
    snapshot.extend({
      difference: z
        .object({
          entry: fields.count.describe("the place of the first entry that is another one, from 0"),
          saved: z.string().nullable().describe("null where nothing had happened"),
          replayed: z.string().nullable().describe("null where nothing happened"),
        })
        .nullable()
        .describe(
          "null when everything happened as it had; else, with accept_difference only, another version wrote it, or the file was changed",
        ),
    }),
});
