/**
 * LeaveGroup: members leave a classic group, or are removed from it.
 *
 * Behaviour: of several each has its own error; a static member is named by its instance, with or without its id.
 * Versions: up to 2 one member leaves, and its error is that of the answer; 3 brought many (KIP-345), 5 the reason (KIP-800).
 */
import { NONE, numberOfCode } from "../error-numbers.ts";
import { changeGroupOf } from "../group-calls.ts";
import type { KafkaHandler } from "../handler.ts";

const MANY_SINCE = 3;

export const leaveGroup: KafkaHandler<"LeaveGroup"> = {
  async serve({ groupId, memberId, members }, context, call) {
    const leavers =
      call.version >= MANY_SINCE ? members : [{ memberId, groupInstanceId: null, reason: null }];
    const left = await changeGroupOf(groupId, context, call, (groups, wait) =>
      groups.classic.leave({ groupId, members: leavers }, wait),
    );
    const answers = left.map(({ memberId, groupInstanceId, code }) => ({
      ...{ memberId, groupInstanceId },
      errorCode: code === null ? NONE : numberOfCode(code, call),
    }));
    if (call.version >= MANY_SINCE) return { errorCode: NONE, members: answers };
    return { errorCode: answers[0]?.errorCode ?? NONE };
  },
  refusal: (_request, errorCode) => ({ errorCode }),
};
