/** list_groups: all or none, since a list in which groups are missing would mislead. Refuses: as fetch_offsets. */
import { lookAtGroups } from "../group-request.ts";
import type { Handler } from "../handler.ts";

export const listGroups: Handler<"list_groups"> = async (_request, context, client) => {
  const listings = await lookAtGroups(context, client, (groups, wait) => groups.list(wait));
  return {
    groups: listings.map(({ groupId, state, generation, members, coordinatorId }) => ({
      group_id: groupId,
      state,
      generation,
      members,
      coordinator_id: coordinatorId,
    })),
  };
};
