/**
 * OffsetFetch: the offsets that groups have committed.
 *
 * Behaviour: of the partitions that are named, or of all that have one; offset -1 where nothing is committed, which is also the answer for a
 * group or a partition that there is not. With requireStable UNSTABLE_OFFSET_COMMIT for those that a transaction may yet change (KIP-447),
 * with the partition; where all are asked for, those that have nothing but such a change are not named, as in Kafka.
 * Versions: up to 7 one group is asked for; 2 may ask for all topics (null), 8 brought many groups (KIP-709). Before 2 there is no place for
 * an error of the group, which stands with each partition.
 * Not modelled: the leader epoch beside an offset (-1); the member that asks in version 9 is not looked at.
 */
import type { TopicPartition } from "@minikafka/core";
import {
  KAFKA_ERRORS,
  type KafkaErrorNumber,
  type RequestOf,
  type ResponseOf,
} from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { NONE, numberOf } from "../error-numbers.ts";
import { lookAtGroupOf } from "../group-calls.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";

type Request = RequestOf<"OffsetFetch">;
type AskedTopics = Request["topics"];
type FoundTopic = NonNullable<ResponseOf<"OffsetFetch">["topics"]>[number];

interface Found {
  readonly topics: readonly FoundTopic[];
  readonly errorCode: KafkaErrorNumber;
}

/** From here on many groups are asked for at once. */
const MANY_SINCE = 8;
const NO_OFFSET = -1;

export const offsetFetch: KafkaHandler<"OffsetFetch"> = {
  async serve(request, context, call) {
    const { groupId, topics, groups, requireStable } = request;
    if (call.version < MANY_SINCE) return find({ groupId, topics, requireStable }, context, call);
    const found = groups.map(async (group) => ({
      groupId: group.groupId,
      ...(await find({ groupId: group.groupId, topics: group.topics, requireStable }, context, call)),
    }));
    return { groups: await Promise.all(found) };
  },
  refusal: ({ topics, groups }, errorCode, { version }) => {
    if (version < MANY_SINCE) return refused(topics, errorCode);
    return { groups: groups.map(({ groupId, topics }) => ({ groupId, ...refused(topics, errorCode) })) };
  },
};

interface AskedGroup {
  readonly groupId: string;
  readonly topics: AskedTopics;
  readonly requireStable: boolean;
}

async function find(asked: AskedGroup, context: BrokerContext, call: KafkaCall): Promise<Found> {
  const { groupId, topics, requireStable } = asked;
  const partitions = topics?.flatMap(({ name, partitionIndexes }) =>
    partitionIndexes.map((partition): TopicPartition => ({ topic: name, partition })),
  );
  const request = { groupId, ...(partitions !== undefined && { partitions }) };
  try {
    const offsets = await lookAtGroupOf(groupId, context, call, (groups, wait) =>
      groups.committed(request, wait),
    );
    const byTopic = new Map<string, FoundTopic["partitions"][number][]>();
    for (const { topic, partition, offset, metadata, isUnstable = false } of offsets) {
      const found = byTopic.get(topic) ?? [];
      byTopic.set(topic, found);
      if (requireStable && isUnstable) {
        found.push(refusedPartition(partition, KAFKA_ERRORS.UNSTABLE_OFFSET_COMMIT));
        continue;
      }
      const committedOffset = offset ?? NO_OFFSET;
      found.push({ partitionIndex: partition, committedOffset, metadata: metadata ?? "", errorCode: NONE });
    }
    return { topics: Array.from(byTopic, ([name, found]) => ({ name, partitions: found })), errorCode: NONE };
  } catch (problem) {
    return refused(topics, numberOf(problem, call));
  }
}

function refused(topics: AskedTopics, errorCode: KafkaErrorNumber): Found {
  return {
    errorCode,
    topics: (topics ?? []).map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partition) => refusedPartition(partition, errorCode)),
    })),
  };
}

function refusedPartition(partitionIndex: number, errorCode: KafkaErrorNumber) {
  return { partitionIndex, committedOffset: NO_OFFSET, metadata: "", errorCode };
}
