/**
 * OffsetDelete: committed offsets of a group are forgotten, of partitions of topics that no member reads (KIP-496).
 *
 * Behaviour: the group's coordinator is asked. A partition of a topic to which a member is subscribed is GROUP_SUBSCRIBED_TO_TOPIC; one of
 * which nothing is committed is no error. What is amiss with the group, GROUP_ID_NOT_FOUND or NON_EMPTY_GROUP where its members are no
 * consumers, is told for all.
 */
import type { TopicPartition } from "@minikafka/core";
import { NONE, numberOfCode } from "../error-numbers.ts";
import { changeGroupOf } from "../group-calls.ts";
import type { KafkaHandler } from "../handler.ts";

export const offsetDelete: KafkaHandler<"OffsetDelete"> = {
  async serve({ groupId, topics }, context, call) {
    const partitions = topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex }): TopicPartition => ({ topic: name, partition: partitionIndex })),
    );
    const deleted = await changeGroupOf(groupId, context, call, (groups, wait) =>
      groups.deleteOffsets({ groupId, partitions }, wait),
    );
    return {
      errorCode: NONE,
      topics: topics.map(({ name }) => ({
        name,
        partitions: deleted
          .filter(({ topic }) => topic === name)
          .map(({ partition, code }) => ({
            partitionIndex: partition,
            errorCode: code === null ? NONE : numberOfCode(code, call),
          })),
      })),
    };
  },
  refusal: (_request, errorCode) => ({ errorCode, topics: [] }),
};
