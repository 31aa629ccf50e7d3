/**
 * list_groups: what can be read, and beside it the partitions of __consumer_offsets that cannot, since a list in which groups are
 * missing would mislead. Refuses: as fetch_offsets, when none can be read.
 */
import { lookAtGroups } from "../../group-requests.ts";
import type { Handler } from "../handler.ts";

export const listGroups: Handler<"list_groups"> = async (_request, context, client) => {
  const { groups: listings, unreadable } = await lookAtGroups(context, client, (groups, wait) =>
    groups.list(wait),
  );
  return {
    groups: listings.map(({ groupId, type, protocolType, state, generation, members, coordinatorId }) => ({
      group_id: groupId,
      type,
      protocol_type: protocolType,
      state,
      generation,
      members,
      coordinator_id: coordinatorId,
    })),
    unreadable: unreadable.map(({ partition, error: { code, message } }) => ({ partition, code, message })),
  };
};
