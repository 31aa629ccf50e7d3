/**
 * TxnOffsetCommit: a group's offsets, which count when the transaction commits, and are dropped when it aborts.
 *
 * Behaviour: asked of the group's coordinator, when the transaction is open. What is amiss with a partition stands with it, as in
 * OffsetCommit, and what is amiss with the producer or the member with all of them.
 * Versions: from 3 on a member says which one it is, in which generation (KIP-447); before, everybody is believed.
 * Not modelled: the leader epoch beside an offset (KIP-320).
 */
import { changeBoth } from "../../transaction-requests.ts";
import { committerOf } from "../committer.ts";
import { requireGroupCoordinator } from "../coordinators.ts";
import type { KafkaHandler } from "../handler.ts";
import { commitEach, refuseEach } from "../offset-commits.ts";

export const txnOffsetCommit: KafkaHandler<"TxnOffsetCommit"> = {
  async serve(request, context, call) {
    const { transactionalId, producerId, producerEpoch, groupId, topics } = request;
    const { generationId: generation, memberId, groupInstanceId } = request;
    requireGroupCoordinator(context.cluster, groupId, call.brokerId);
    const member = committerOf({ generation, memberId, groupInstanceId });
    const sent = { transactionalId, producerId, producerEpoch, groupId, member };
    return {
      topics: await commitEach(topics, context.cluster, call, (offsets) =>
        changeBoth({ transactionalId, groupId }, context, call.client, (transactions, wait) =>
          transactions.sendOffsets({ ...sent, offsets }, wait),
        ),
      ),
    };
  },
  refusal: ({ topics }, errorCode) => ({ topics: refuseEach(topics, errorCode) }),
};
