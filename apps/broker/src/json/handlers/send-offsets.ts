/**
 * send_offsets: a part of the open transaction when it answers, and nobody sees them before it commits. Refuses: as commit_offsets and
 * begin_transaction; INVALID_TRANSACTION_STATE when none is open.
 */

import { changeBoth } from "../../transaction-requests.ts";
import { committerOf, offsetsOf } from "../committer.ts";
import type { Handler } from "../handler.ts";
import { speakerOf } from "../identity-fields.ts";

export const sendOffsets: Handler<"send_offsets"> = async (request, context, client) => {
  const { group_id: groupId } = request;
  const speaker = speakerOf(request);
  const sent = { ...speaker, groupId, member: committerOf(request), offsets: offsetsOf(request) };
  await changeBoth({ ...speaker, groupId }, context, client, (transactions, wait) =>
    transactions.sendOffsets(sent, wait),
  );
  return {};
};
