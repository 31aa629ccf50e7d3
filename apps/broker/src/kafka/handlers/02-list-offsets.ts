/**
 * ListOffsets: the offset that belongs to a time, in many partitions.
 *
 * Behaviour: -1 is the end of what may be read, which for read_committed is the last stable offset; -2 the log's start; a time the first
 * visible record of that time or later, or -1 where there is none. -3 is the first of the records with the latest time (KIP-734). What is
 * amiss stands with its partition; one that is named twice is INVALID_REQUEST.
 * Versions: 2 brought isolation, 4 leader epochs: which leader wrote the record. -3 before version 7 is UNSUPPORTED_VERSION, as are the
 * other negative times, which stand for remote storage.
 * Not modelled: OFFSET_NOT_AVAILABLE (KIP-207), since a new leader's high watermark is right as soon as it leads.
 */
import type { Isolation, PartitionReplicaSet, TopicPartition } from "@minikafka/core";
import {
  type RequestOf,
  type ResponseOf,
  TIMESTAMP_EARLIEST,
  TIMESTAMP_LATEST,
  TIMESTAMP_MAX,
} from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { KafkaRefusal, NONE, numberOf } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { isolationOf } from "../isolation.ts";
import { requireLed } from "../leadership.ts";
import { namedTwice } from "../repeats.ts";

type AskedPartition = RequestOf<"ListOffsets">["topics"][number]["partitions"][number];
type FoundPartition = ResponseOf<"ListOffsets">["topics"][number]["partitions"][number];

const TIMESTAMP_MAX_SINCE = 7;
const NOT_FOUND = -1;

export const listOffsets: KafkaHandler<"ListOffsets"> = {
  serve({ topics, isolationLevel }, { cluster }, call) {
    const isolation = isolationOf(isolationLevel);
    return {
      topics: topics.map(({ name, partitions }) => {
        const twice = namedTwice(partitions.map(({ partitionIndex }) => partitionIndex));
        const answers = partitions.map((asked) => {
          const { partitionIndex } = asked;
          try {
            if (twice.has(partitionIndex))
              throw new KafkaRefusal("INVALID_REQUEST", "a partition that is named twice");
            const place = { topic: name, partition: partitionIndex };
            return { ...found(asked, place, isolation, cluster, call), errorCode: NONE };
          } catch (problem) {
            return { partitionIndex, errorCode: numberOf(problem, call) };
          }
        });
        return { name, partitions: answers };
      }),
    };
  },
  refusal: ({ topics }, errorCode) => ({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
    })),
  }),
};

function found(
  { partitionIndex, timestamp, currentLeaderEpoch: leaderEpoch }: AskedPartition,
  place: TopicPartition,
  isolation: Isolation,
  cluster: BrokerContext["cluster"],
  { brokerId, version }: KafkaCall,
): Omit<FoundPartition, "errorCode"> {
  const set = requireLed(cluster, place, { brokerId, leaderEpoch });
  const isLatestTime = timestamp === TIMESTAMP_MAX && version >= TIMESTAMP_MAX_SINCE;
  if (timestamp < TIMESTAMP_EARLIEST && !isLatestTime)
    throw new KafkaRefusal(
      "UNSUPPORTED_VERSION",
      `the time ${timestamp} means nothing in version ${version}`,
    );
  const sought = isLatestTime ? latestTimeMs(cluster, place) : timestamp;
  const { offset, timestampMs } =
    sought === null ? { offset: null, timestampMs: null } : set.listOffsets(sought, isolation);
  return {
    partitionIndex,
    offset: offset ?? NOT_FOUND,
    timestamp: timestampMs ?? NOT_FOUND,
    leaderEpoch: offset === null ? NOT_FOUND : epochAt(set, offset, timestamp),
  };
}

/** Of the records in the leader's log; `null` when there are none. */
function latestTimeMs(cluster: BrokerContext["cluster"], place: TopicPartition): number | null {
  const { segments } = cluster.describePartition(place);
  const latest = segments.reduce((ms, { latestTimeMs }) => Math.max(ms, latestTimeMs ?? -1), -1);
  return latest < 0 ? null : latest;
}

/** Which leader wrote at an offset; at the end of what may be read, the present one (Kafka: Partition.fetchOffsetForTimestamp). */
function epochAt({ leaderLog, leaderEpoch }: PartitionReplicaSet, offset: number, timestamp: number): number {
  if (timestamp === TIMESTAMP_LATEST || offset >= leaderLog.logEndOffset) return leaderEpoch;
  return (
    leaderLog.leaderEpochs.findLast(({ startOffset }) => startOffset <= offset)?.leaderEpoch ?? leaderEpoch
  );
}
