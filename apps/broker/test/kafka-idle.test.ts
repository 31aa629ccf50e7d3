/** Connections that say nothing, or only half of what they were about to say. */
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

test.each(["auto", "manual"])(
  "clock %s: who says nothing, or half a frame and no more, is closed after connections_max_idle_ms of real time; who waits for an answer is not",
  async (clock) => {
    const broker = await openKafkaBroker({ clock, connections_max_idle_ms: 150 });
    broker.cluster.createTopic({ topic: "orders", partitions: 1 });
    const [silent, half, size, waiting] = await Promise.all([1, 2, 3, 4].map(() => KafkaClient.open(broker)));
    const topics = [
      { topic: "orders", partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1 << 20 }] },
    ];
    const poll = waiting?.ask("Fetch", 11, { maxWaitMs: 60_000, minBytes: 1, topics });
    const frame = half?.frame("Metadata", 5, { topics: null }) ?? Buffer.alloc(0);
    half?.send(frame.subarray(0, -1));
    // The size of a frame alone, of which nothing is kept until it comes.
    size?.send(Buffer.from([3, 0, 0, 0]));
    for (const client of [silent, half, size]) await client?.closed();
    expect(waiting?.isClosed).toBe(false);
    const json = Session.open(broker);
    await json.call("produce", { topic: "orders", partition: 0, value_b64: "YQ==" });
    expect((await poll)?.responses[0]?.partitions[0]).toMatchObject({ errorCode: 0, highWatermark: 1 });
  },
);
