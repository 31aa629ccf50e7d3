/**
 * expire_offsets: groups without members lose what they committed too long ago, and those with nothing left are gone. Refuses:
 * STEPPING_DISABLED, and as join_group.
 */
import { changeGroups } from "../../group-requests.ts";
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const expireOffsets: Handler<"expire_offsets"> = async (_request, context, client) => {
  requireLab(context);
  const { expired, dying, forgotten, loaded } = await changeGroups(
    "expire_offsets",
    context,
    client,
    (groups) => groups.tendOffsets(),
  );
  return {
    expired: expired.map(({ groupId, topic, partition }) => ({ group_id: groupId, topic, partition })),
    dying: [...dying],
    forgotten: [...forgotten],
    loaded: loaded.map(({ topic, partition }) => ({ topic, partition })),
  };
};
