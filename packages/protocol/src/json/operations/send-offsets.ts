import { z } from "zod";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";
import { transaction } from "../transaction-fields.ts";

/** Kafka's AddOffsetsToTxn and TxnOffsetCommit (KIP-98), with the group's own fence (KIP-447). */
export const sendOffsets = operation({
  name: "send_offsets",
  summary:
    "Makes a group's offsets a part of the transaction: they are committed when it commits, and forgotten when it aborts. The same rules as commit_offsets say who may.",
  request: () => ({
    ...transaction,
    group_id: group.groupId,
    member_id: group.memberId.optional(),
    generation: group.generation.optional().describe("goes with member_id"),
    offsets: z.array(group.commitOffset()).min(1).max(10_000).describe("each partition once"),
  }),
  response: () => z.object({}),
});
