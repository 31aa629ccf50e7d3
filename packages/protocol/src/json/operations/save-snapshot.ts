import { operation } from "../operation.ts";
import { keep, snapshot, snapshotName } from "../snapshot-fields.ts";

export const saveSnapshot = operation({
  name: "save_snapshot",
  summary:
    "Names the state of the whole cluster, so that it can be gone back to; changes nothing. A snapshot of that name is replaced. With a manual clock only.",
  request: () => ({ name: snapshotName, keep: keep.default("memory") }),
  response: () => snapshot,
});
