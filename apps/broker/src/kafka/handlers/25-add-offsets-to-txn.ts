/**
 * AddOffsetsToTxn: the transaction is about to commit offsets of a group; it is opened where none is.
 *
 * Behaviour: the partition that keeps the group's offsets is a part of the transaction, durably, when it answers. Refuses as
 * AddPartitionsToTxn does.
 */
import { changeBoth } from "../../transaction-requests.ts";
import { requireTransactionCoordinator } from "../coordinators.ts";
import { NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";

export const addOffsetsToTxn: KafkaHandler<"AddOffsetsToTxn"> = {
  async serve({ transactionalId, producerId, producerEpoch, groupId }, context, { brokerId, client }) {
    requireTransactionCoordinator(context.cluster, transactionalId, brokerId);
    const caller = { transactionalId, producerId, producerEpoch };
    await changeBoth({ transactionalId, groupId }, context, client, (transactions, wait) =>
      transactions.addOffsets(caller, groupId, wait),
    );
    return { errorCode: NONE };
  },
  refusal: (_request, errorCode) => ({ errorCode }),
};
