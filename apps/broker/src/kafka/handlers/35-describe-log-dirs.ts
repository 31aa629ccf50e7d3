/**
 * DescribeLogDirs: how large the logs are that the asked broker holds, as a leader or as a follower.
 *
 * Behaviour: a broker has one folder. Of partitions that it holds none of nothing is told, nor of a log that cannot be read. The lag is that
 * of the log's end behind the high watermark, as the broker knows both.
 * Versions: 4 has a place for the size of the volume, which is not told (-1).
 * Not modelled: several folders, logs that move between them.
 */
import { type BrokerCluster, BrokerError, type TopicPartition } from "@minikafka/core";
import type { RequestOf, ResponseOf } from "@minikafka/protocol/kafka";
import { NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";
import { partitionsByTopic } from "../repeats.ts";

type LogDirTopic = ResponseOf<"DescribeLogDirs">["results"][number]["topics"][number];

export const describeLogDirs: KafkaHandler<"DescribeLogDirs"> = {
  serve(request, { cluster }, { brokerId }) {
    const topics = Array.from(askedOf(request, cluster), ([name, partitions]): LogDirTopic => {
      const places = [...partitions].map((partition) => ({ topic: name, partition }));
      return { name, partitions: places.flatMap((place) => sizesOf(place, brokerId, cluster)) };
    });
    const logDir = cluster.config.dataFolder;
    return {
      results: [
        { errorCode: NONE, logDir, topics: topics.filter(({ partitions }) => partitions.length > 0) },
      ],
    };
  },
  refusal: (_request, errorCode) => ({ errorCode, results: [] }),
};

/** Those that there are. */
function askedOf(
  { topics }: RequestOf<"DescribeLogDirs">,
  cluster: BrokerCluster,
): ReadonlyMap<string, ReadonlySet<number>> {
  const all = new Map(
    cluster.listTopics().map(({ topic, partitions }) => [topic, new Set(Array(partitions).keys())] as const),
  );
  if (topics === null) return all;
  return partitionsByTopic(
    topics.map(({ topic, partitions }) => {
      const known = all.get(topic) ?? new Set();
      return { name: topic, partitions: partitions.filter((partition) => known.has(partition)) };
    }),
  );
}

function sizesOf(
  place: TopicPartition,
  brokerId: number,
  cluster: BrokerCluster,
): LogDirTopic["partitions"][number][] {
  const { replicas } = cluster.describePartition(place);
  const replica = replicas.find((each) => each.brokerId === brokerId);
  if (replica === undefined || !replica.isOnline) return [];
  try {
    const log = cluster.replicaLog(place, brokerId);
    const partitionSize = log.segments().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const offsetLag = Math.max(0, (replica.highWatermark ?? 0) - log.logEndOffset);
    return [{ partitionIndex: place.partition, partitionSize, offsetLag, isFutureKey: false }];
  } catch (problem) {
    if (problem instanceof BrokerError) return [];
    throw problem;
  }
}
