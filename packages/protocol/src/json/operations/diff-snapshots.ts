import { z } from "zod";
import { operation } from "../operation.ts";
import { snapshotName } from "../snapshot-fields.ts";

export const diffSnapshots = operation({
  name: "diff_snapshots",
  summary:
    "Shows where two states differ: topics, partitions with every replica, groups, transactions, the clock, armed faults. Changes nothing: both are made once more in memory and looked at there.",
  request: () => ({
    from: snapshotName,
    to: snapshotName.optional().describe("left out: the cluster as it is now"),
  }),
  response: () =>
    z.object({
      differences: z.array(
        z.object({
          path: z.string().describe("such as topics.orders.partitions.0.high_watermark"),
          from: z.unknown().optional().describe("left out where there is nothing"),
          to: z.unknown().optional().describe("left out where there is nothing"),
        }),
      ),
    }),
});
