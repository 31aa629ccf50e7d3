/**
 * OffsetCommit: a group's offsets are kept, with the strength of acks all, when it answers.
 *
 * Behaviour: a member commits in its generation; who names no member (generation -1, no id) may where the group has none. What is amiss with
 * a partition stands with it, and the others are kept: UNKNOWN_TOPIC_OR_PARTITION, OFFSET_METADATA_TOO_LARGE beyond 4096 characters.
 * A negative offset is kept and told as it is; clients read one as none. What is amiss with the committer stands with all of them. A group
 * that is not there is ILLEGAL_GENERATION to who says that it is a member.
 * Versions: 5 no longer says for how long (KIP-211), which is passed over before; 7 brought static members (KIP-345).
 * Not modelled: the leader epoch beside an offset (KIP-320), which is not kept.
 */

import { committerOf } from "../committer.ts";
import { changeGroupOf } from "../group-calls.ts";
import type { KafkaHandler } from "../handler.ts";
import { commitEach, refuseEach } from "../offset-commits.ts";

export const offsetCommit: KafkaHandler<"OffsetCommit"> = {
  async serve(request, context, call) {
    const { groupId, topics, generationIdOrMemberEpoch: generation, memberId, groupInstanceId } = request;
    const member = committerOf({ generation, memberId, groupInstanceId });
    return {
      topics: await commitEach(topics, context.cluster, call, (offsets) =>
        changeGroupOf(groupId, context, call, (groups, wait) =>
          groups.commit({ groupId, member, offsets }, wait),
        ),
      ),
    };
  },
  refusal: ({ topics }, errorCode) => ({ topics: refuseEach(topics, errorCode) }),
};
