/**
 * OffsetDelete: committed offsets of a group are forgotten, of partitions of topics that no member reads (KIP-496).
 *
 * Behaviour: the group's coordinator is asked. A partition of a topic to which a member is subscribed is GROUP_SUBSCRIBED_TO_TOPIC; one of
 * which nothing is committed is no error. What is amiss with the group, GROUP_ID_NOT_FOUND or NON_EMPTY_GROUP where its members are no
 * consumers, is told for all.
 */
import type { TopicPartition } from "@minikafka/core";
import type { ResponseOf } from "@minikafka/protocol/kafka";
import { NONE, numberOf } from "../error-numbers.ts";
import { changeGroupOf } from "../group-calls.ts";
import type { KafkaHandler } from "../handler.ts";

type DeletedPartition = ResponseOf<"OffsetDelete">["topics"][number]["partitions"][number];

export const offsetDelete: KafkaHandler<"OffsetDelete"> = {
  async serve({ groupId, topics }, context, call) {
    const partitions = topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex }): TopicPartition => ({ topic: name, partition: partitionIndex })),
    );
    const deleted = await changeGroupOf(groupId, context, call, (groups, wait) =>
      groups.deleteOffsets({ groupId, partitions }, wait),
    );
    const byTopic = new Map<string, DeletedPartition[]>(topics.map(({ name }) => [name, []]));
    for (const { topic, partition, problem } of deleted) {
      const errorCode = problem === null ? NONE : numberOf(problem, call);
      byTopic.get(topic)?.push({ partitionIndex: partition, errorCode });
    }
    return { errorCode: NONE, topics: Array.from(byTopic, ([name, partitions]) => ({ name, partitions })) };
  },
  refusal: (_request, errorCode) => ({ errorCode, topics: [] }),
};
