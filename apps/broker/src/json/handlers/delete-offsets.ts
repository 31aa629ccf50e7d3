/**
 * delete_offsets: what is deleted is gone when it answers, also after a crash. UNKNOWN_TOPIC, UNKNOWN_PARTITION and
 * GROUP_SUBSCRIBED_TO_TOPIC stand with their partitions. Refuses: UNKNOWN_GROUP, GROUP_NOT_EMPTY (members that are no consumers), and
 * as join_group.
 */
import { changeGroup } from "../../group-requests.ts";
import type { Handler } from "../handler.ts";

export const deleteOffsets: Handler<"delete_offsets"> = async (request, context, client) => {
  const { group_id: groupId, partitions } = request;
  const deleted = await changeGroup(groupId, context, client, (groups, wait) =>
    groups.deleteOffsets({ groupId, partitions }, wait),
  );
  return {
    partitions: deleted.map(({ topic, partition, offset, problem }) => {
      if (problem === null)
        return { topic, partition, offset: offset === null || offset < 0 ? null : offset };
      const { code, message, details } = problem;
      return { topic, partition, code, message, details: { ...details } };
    }),
  };
};
