/** How the coordinator of transactions reaches the cluster's other rooms. */

import type { TopicPartition } from "../replica/topic-partition.ts";
import type { OtherRooms } from "../transaction/other-rooms.ts";
import type { TransactionPartition } from "../transaction/transaction-state.ts";
import type { GroupOperations } from "./group-operations.ts";
import type { InternalTopicParts } from "./internal-topic.ts";
import { OFFSETS_TOPIC, requireClientTopic } from "./internal-topics.ts";
import type { ProducerIds } from "./producer-ids.ts";

export interface TransactionRoomsParts extends InternalTopicParts {
  readonly producerIds: ProducerIds;
  readonly groups: GroupOperations;
}

export function transactionRooms(parts: TransactionRoomsParts): OtherRooms {
  const { table, behind, lifecycle, producerIds, groups } = parts;
  const { catalogue } = parts.topics;
  const identified = (place: TopicPartition): TransactionPartition => {
    const { topic, partition } = table.require(place).place;
    return { topic, partition, topicId: catalogue.require(topic).topicId };
  };
  return {
    topicIdOf: (topic) => catalogue.get(topic)?.topicId ?? null,
    requirePartition: (place) => {
      lifecycle.requireRunning();
      return identified(requireClientTopic(place));
    },
    append: (place, frame, { leaderEpoch, giveUp, retriesKnownBy }) => {
      const set = table.require(place);
      const appended = set.append(frame, {
        acks: "all",
        inTransaction: true,
        retriesKnownBy,
        ...(leaderEpoch !== undefined && { leaderEpoch }),
        ...(giveUp !== undefined && { giveUp }),
      });
      // Whoever waits for it may look a moment later.
      appended.acknowledged.catch(() => {});
      behind.add(set);
      return appended;
    },
    partitionOf: async (groupId, wait) => identified(await groups.partitionOf(groupId, wait)),
    stage: (request, transaction, wait) => groups.stage(request, transaction, wait),
    endTransaction: async ({ topic, partition }, end) => {
      lifecycle.requireRunning();
      if (topic === OFFSETS_TOPIC) {
        await groups.endTransaction({ topic, partition }, end);
        return;
      }
      const set = table.require({ topic, partition });
      const { acknowledged } = set.appendMarker(end, () => behind.add(set));
      await acknowledged;
    },
    ...openInLogs(parts, identified),
    newProducerId: () => producerIds.newProducerId(),
    heard: (before, after) => {
      if (after.state === "dead") {
        if (before.state !== "dead") producerIds.transactional.remove(before);
        return;
      }
      producerIds.transactional.add(after);
      producerIds.learn([after]);
    },
  };
}

/** What the leaders' logs have open, and what it takes to end it. */
function openInLogs(
  { table, topics: { catalogue }, groups }: TransactionRoomsParts,
  identified: (place: TopicPartition) => TransactionPartition,
): Pick<OtherRooms, "producerIn" | "placesWithOpenTransactions" | "readyToEnd" | "openTransactionsIn"> {
  return {
    producerIn: (place, producerId) => {
      const { leaderLog } = table.require(place);
      return {
        openEpoch: leaderLog.openTransaction(producerId)?.producerEpoch ?? null,
        lastEpoch: leaderLog.producer(producerId)?.producerEpoch ?? null,
      };
    },
    placesWithOpenTransactions: () =>
      table
        .all()
        .filter((set) => set.isOnline && set.leaderLog.openTransactions.length > 0)
        .map(({ place }) => identified(place)),
    readyToEnd: async ({ topic, partition }, wait) => {
      if (topic === OFFSETS_TOPIC) await groups.load(partition, wait);
    },
    openTransactionsIn: (place) => {
      const { topic, partition, topicId } = place;
      if (catalogue.get(topic)?.topicId !== topicId) return [];
      if (topic === OFFSETS_TOPIC && !groups.isLoaded(partition)) return [];
      const set = table.require(place);
      return set.isOnline ? set.leaderLog.openTransactions : [];
    },
  };
}
