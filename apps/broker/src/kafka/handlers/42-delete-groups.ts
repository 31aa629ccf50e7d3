/**
 * DeleteGroups: groups without members are forgotten, with their offsets (KIP-229).
 *
 * Behaviour: each group's coordinator is asked. NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND, and what is amiss with one group stands with it.
 */
import { NONE, numberOf } from "../error-numbers.ts";
import { changeGroupOf } from "../group-calls.ts";
import type { KafkaHandler } from "../handler.ts";

export const deleteGroups: KafkaHandler<"DeleteGroups"> = {
  async serve({ groupsNames }, context, call) {
    const deleted = Array.from(new Set(groupsNames), async (groupId) => {
      try {
        await changeGroupOf(groupId, context, call, (groups, wait) => groups.delete(groupId, wait));
        return { groupId, errorCode: NONE };
      } catch (problem) {
        return { groupId, errorCode: numberOf(problem, call) };
      }
    });
    return { results: await Promise.all(deleted) };
  },
  refusal: ({ groupsNames }, errorCode) => ({
    results: groupsNames.map((groupId) => ({ groupId, errorCode })),
  }),
};
