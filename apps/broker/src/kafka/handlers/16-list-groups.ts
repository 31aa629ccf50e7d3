/**
 * ListGroups: the groups that the broker that is asked coordinates.
 *
 * Behaviour: those with members, those that had some and those with committed offsets. Who wants all asks each broker.
 * Versions: 4 chooses by state (KIP-518), 5 by type (KIP-848); neither minds upper and lower case.
 */

import { lookAtGroups } from "../../group-requests.ts";
import { NONE } from "../error-numbers.ts";
import { groupStateName } from "../group-states.ts";
import type { KafkaHandler } from "../handler.ts";

export const listGroups: KafkaHandler<"ListGroups"> = {
  async serve({ statesFilter, typesFilter }, context, { brokerId, client }) {
    const { groups } = await lookAtGroups(context, client, (all, wait) => all.list(wait));
    const [states, types] = [lowerCased(statesFilter), lowerCased(typesFilter)];
    return {
      errorCode: NONE,
      groups: groups
        .filter(({ coordinatorId }) => coordinatorId === brokerId)
        .map(({ groupId, type, protocolType, state }) => ({
          groupId,
          protocolType: protocolType ?? "",
          groupState: groupStateName(state),
          // Of one that has offsets alone nobody knows better, nor does Kafka.
          groupType: protocolType === null ? "classic" : type,
        }))
        .filter(({ groupState, groupType }) => isIn(states, groupState) && isIn(types, groupType)),
    };
  },
  refusal: (_request, errorCode) => ({ errorCode, groups: [] }),
};

function lowerCased(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

/** No names stand for all. */
function isIn(names: ReadonlySet<string>, name: string): boolean {
  return names.size === 0 || names.has(name.toLowerCase());
}
