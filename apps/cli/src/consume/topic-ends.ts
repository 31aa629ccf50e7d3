/** Where the partitions of topics ended when a command began, and whether a consumer has read all of its own up to there. */
import { type Consumer, hasCode, type TopicPartition } from "@minikafka/client";
import type { Isolation } from "../input/arguments.ts";
import type { Session } from "../session.ts";

export type TopicEnds = readonly {
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
}[];

interface EndsQuery {
  readonly topics: readonly string[];
  /** For read_committed the end lies before the oldest open transaction. */
  readonly isolation?: Isolation;
}

/** Throws UNKNOWN_TOPIC. */
export async function topicEnds(
  session: Session,
  { topics, isolation }: EndsQuery,
  signal: AbortSignal,
): Promise<TopicEnds> {
  const admin = session.client.admin();
  const ends = topics.map(async (topic) => {
    const { partitions } = await admin.metadata(topic, { signal });
    return Promise.all(
      partitions.map(async ({ partition }) => {
        const { offset } = await admin.listOffsets({ topic, partition, at: "latest", isolation }, { signal });
        return { topic, partition, end: offset ?? 0 };
      }),
    );
  });
  return (await Promise.all(ends)).flat();
}

/** One look is short, since records may be waiting. */
const READY_MS = 50;

/** Whether the consumer has what is to be its own, and has read it. Throws what a poll would throw. */
export async function isRead(consumer: Consumer, ends: TopicEnds, signal: AbortSignal): Promise<boolean> {
  try {
    await consumer.ready({ timeoutMs: READY_MS, signal });
  } catch (error) {
    if (hasCode(error, "TIMEOUT")) return false;
    throw error;
  }
  const positions = await Promise.all(
    consumer.assignment.map(async (place) => ({ ...place, position: await consumer.position(place) })),
  );
  const beyond: TopicPartition[] = [];
  for (const { topic, partition, position } of positions) {
    const end = ends.find((one) => one.topic === topic && one.partition === partition)?.end ?? 0;
    if (position < end) return false;
    if (position > end) beyond.push({ topic, partition });
  }
  return beyond.length === 0 || (await isWithinLog(consumer, beyond));
}

/** A position past the end, as a group may have committed it, is not one to stop at: the next poll resets it. */
async function isWithinLog(consumer: Consumer, places: readonly TopicPartition[]): Promise<boolean> {
  const lags = await consumer.lag();
  return places.every(({ topic, partition }) =>
    lags.some((one) => one.topic === topic && one.partition === partition && one.lag !== null),
  );
}
