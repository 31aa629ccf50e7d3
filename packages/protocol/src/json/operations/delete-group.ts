import { z } from "zod";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

/** Kafka's DeleteGroups (KIP-229). */
export const deleteGroup = operation({
  name: "delete_group",
  summary: "Forgets a group without members, and all that it has committed.",
  request: () => ({ group_id: group.groupId }),
  response: () => z.object({}),
});
