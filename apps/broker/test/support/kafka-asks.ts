/** What tests ask of one partition most of the time: Produce, Fetch and ListOffsets, with what is usual left out. */
import { expect } from "vitest";
import type { Broker } from "../../src/daemon.ts";
import type { KafkaClient } from "./kafka-client.ts";

export interface Sent {
  readonly version?: number;
  readonly acks?: number;
  readonly topic?: string;
  readonly partition?: number;
  readonly transactionalId?: string | null;
  readonly timeoutMs?: number;
}

export async function send(client: KafkaClient, records: Buffer | null, sent: Sent = {}) {
  const { version = 9, acks = -1, topic = "orders", partition = 0, transactionalId = null } = sent;
  const { timeoutMs = 5_000 } = sent;
  const partitionData = [{ index: partition, records }];
  const request = { transactionalId, acks, timeoutMs, topicData: [{ name: topic, partitionData }] };
  const { responses } = await client.ask("Produce", version, request);
  return responses[0]?.partitionResponses[0];
}

export interface Asked {
  readonly version?: number;
  readonly offset?: number;
  readonly minBytes?: number;
  readonly maxWaitMs?: number;
  readonly maxBytes?: number;
  readonly partitionMaxBytes?: number;
  readonly isolationLevel?: number;
  readonly topicId?: string;
  readonly topic?: string;
  readonly partition?: number;
  readonly currentLeaderEpoch?: number;
  readonly sessionId?: number;
  readonly sessionEpoch?: number;
}

export function fetchRequest(asked: Asked) {
  const { topic = "orders", topicId, partition = 0, offset = 0, minBytes = 1, maxWaitMs = 0 } = asked;
  const { maxBytes = 1 << 20, partitionMaxBytes = 1 << 20, isolationLevel = 0 } = asked;
  const { sessionId, sessionEpoch, currentLeaderEpoch } = asked;
  return {
    ...{ maxWaitMs, minBytes, maxBytes, isolationLevel },
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionEpoch !== undefined && { sessionEpoch }),
    topics: [
      {
        topic,
        ...(topicId !== undefined && { topicId }),
        partitions: [
          {
            partition,
            fetchOffset: offset,
            partitionMaxBytes,
            ...(currentLeaderEpoch !== undefined && { currentLeaderEpoch }),
          },
        ],
      },
    ],
  };
}

export async function read(client: KafkaClient, asked: Asked = {}) {
  const answer = await client.ask("Fetch", asked.version ?? 11, fetchRequest(asked));
  return answer.responses[0]?.partitions[0];
}

export async function listed(
  broker: Broker,
  client: KafkaClient,
  timestamp: number,
  version = 7,
  isolationLevel = 0,
) {
  expect(broker.cluster.hasTopic("orders")).toBe(true);
  const partitions = [{ partitionIndex: 0, timestamp }];
  const request = { isolationLevel, topics: [{ name: "orders", partitions }] };
  return (await client.ask("ListOffsets", version, request)).topics[0]?.partitions[0];
}
