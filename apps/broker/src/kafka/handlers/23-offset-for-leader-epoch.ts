/**
 * OffsetForLeaderEpoch: where the records of a leader's epoch end. A consumer asks after a change of leaders, and knows by the answer
 * whether what it has read is still there (KIP-320).
 *
 * Behaviour: the leader is asked, and answers with the largest epoch up to the one that was named which has records, and where it ends; for
 * its own epoch that is the end of its log. An epoch that nobody knows yet is -1, with offset -1. The epoch that the client takes for the
 * current one is judged first: FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH.
 * Versions: 3 tells who asks, which makes no difference here: followers do not come by Kafka's protocol.
 */
import type { TopicPartition } from "@minikafka/core";
import type { RequestOf, ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { NONE, numberOf } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { requireLed } from "../leadership.ts";

type Asked = RequestOf<"OffsetForLeaderEpoch">["topics"][number]["partitions"][number];
type PartitionResult = ResponseOf<"OffsetForLeaderEpoch">["topics"][number]["partitions"][number];

export const offsetForLeaderEpoch: KafkaHandler<"OffsetForLeaderEpoch"> = {
  serve: ({ topics }, context, call) => ({
    topics: topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map((asked) =>
        resultOf({ topic, partition: asked.partition }, asked, context, call),
      ),
    })),
  }),
  refusal: ({ topics }, errorCode) => ({
    topics: topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map(({ partition }) => ({ partition, errorCode })),
    })),
  }),
};

function resultOf(
  place: TopicPartition,
  { partition, currentLeaderEpoch, leaderEpoch }: Asked,
  { cluster }: BrokerContext,
  call: KafkaCall,
): PartitionResult {
  try {
    const { leaderLog } = requireLed(cluster, place, { ...call, leaderEpoch: currentLeaderEpoch });
    const end = leaderEpoch < 0 ? null : leaderLog.endOfEpoch(leaderEpoch);
    return { partition, errorCode: NONE, ...end };
  } catch (problem) {
    return { partition, errorCode: numberOf(problem, call) };
  }
}
