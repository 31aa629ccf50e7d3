/**
 * Heartbeat: a member of a classic group is alive, and hears whether it is to join again.
 *
 * Behaviour: REBALANCE_IN_PROGRESS counts as a sign of life; UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION and FENCED_INSTANCE_ID do not.
 * Versions: 3 brought static members (KIP-345).
 */
import { NONE } from "../error-numbers.ts";
import { changeGroupOf } from "../group-calls.ts";
import type { KafkaHandler } from "../handler.ts";

export const heartbeat: KafkaHandler<"Heartbeat"> = {
  async serve({ groupId, generationId: generation, memberId, groupInstanceId }, context, call) {
    await changeGroupOf(groupId, context, call, (groups, wait) =>
      groups.classic.heartbeat({ groupId, memberId, groupInstanceId, generation }, wait),
    );
    return { errorCode: NONE };
  },
  refusal: (_request, errorCode) => ({ errorCode }),
};
