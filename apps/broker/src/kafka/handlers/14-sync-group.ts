/**
 * SyncGroup: the leader brings the assignment of everybody, and every member gets its part, once the leader has.
 *
 * Behaviour: waits for the leader, and holds up nothing that is sent behind it. The assignment's bytes are the clients' own.
 * Versions: 3 brought static members (KIP-345), 5 the type and name of the protocol, which must be there and the group's (KIP-559).
 */
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import { waitInGroup } from "../group-calls.ts";
import type { KafkaHandler } from "../handler.ts";

/** From here on a member says by which protocol it is in the group. */
const PROTOCOL_SINCE = 5;
const NOTHING = Buffer.alloc(0);

export const syncGroup: KafkaHandler<"SyncGroup"> = {
  async serve(request, context, call) {
    const { groupId, generationId: generation, memberId, groupInstanceId, assignments } = request;
    const { protocolType, protocolName } = request;
    if (call.version >= PROTOCOL_SINCE && (protocolType === null || protocolName === null))
      throw new KafkaRefusal("INCONSISTENT_GROUP_PROTOCOL", "expected the type and the name of the protocol");
    const syncing = {
      groupId,
      generation,
      memberId,
      groupInstanceId,
      assignments,
      protocolType,
      protocolName,
    };
    const synced = await waitInGroup(groupId, context, call, (groups, wait) =>
      groups.classic.sync(syncing, wait),
    );
    return { errorCode: NONE, ...synced };
  },
  refusal: (_request, errorCode) => ({ errorCode, assignment: NOTHING }),
};
