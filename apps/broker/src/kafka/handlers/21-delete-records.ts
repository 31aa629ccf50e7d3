/**
 * DeleteRecords: the records of a partition below an offset are deleted for good (KIP-107).
 *
 * Behaviour: the leader is asked, and answers with where its log begins once that survives a crash; -1 deletes up to the high watermark.
 * Beyond that is OFFSET_OUT_OF_RANGE, and POLICY_VIOLATION where records are only compacted. What is amiss with one partition stands with
 * it.
 * Not modelled: the timeout, since nothing is waited for but disks.
 */
import type { TopicPartition } from "@minikafka/core";
import { DELETE_TO_HIGH_WATERMARK, type RequestOf, type ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { KafkaRefusal, NONE, numberOf } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { requireLed } from "../leadership.ts";

type Asked = RequestOf<"DeleteRecords">["topics"][number]["partitions"][number];
type PartitionResult = ResponseOf<"DeleteRecords">["topics"][number]["partitions"][number];

const NO_OFFSET = -1;

export const deleteRecords: KafkaHandler<"DeleteRecords"> = {
  takesEffectLate: true,
  async serve({ topics }, context, call) {
    const results = topics.map(async ({ name, partitions }) => ({
      name,
      partitions: await Promise.all(
        partitions.map((asked) =>
          resultOf({ topic: name, partition: asked.partitionIndex }, asked, context, call),
        ),
      ),
    }));
    return { topics: await Promise.all(results) };
  },
  refusal: ({ topics }, errorCode) => ({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({
        partitionIndex,
        lowWatermark: NO_OFFSET,
        errorCode,
      })),
    })),
  }),
};

async function resultOf(
  place: TopicPartition,
  { partitionIndex, offset }: Asked,
  { cluster }: BrokerContext,
  call: KafkaCall,
): Promise<PartitionResult> {
  try {
    requireLed(cluster, place, call);
    if (offset < DELETE_TO_HIGH_WATERMARK)
      throw new KafkaRefusal("OFFSET_OUT_OF_RANGE", `the offset is ${offset}; expected -1 or more`);
    const before = offset === DELETE_TO_HIGH_WATERMARK ? "high_watermark" : offset;
    return { partitionIndex, lowWatermark: await cluster.deleteRecords(place, before), errorCode: NONE };
  } catch (problem) {
    return { partitionIndex, lowWatermark: NO_OFFSET, errorCode: numberOf(problem, call) };
  }
}
