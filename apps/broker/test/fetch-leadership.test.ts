/** Who waits for records learns at once that another leads, or nobody. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Broker } from "../src/daemon.ts";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

const PLACE = { topic: "orders", partition: 0 };
const OTHER = { topic: "orders", partition: 1 };

async function untilOneWaits(json: Session): Promise<void> {
  for (;;) {
    const { deadlines } = await json.call("pending_steps");
    if (deadlines.some(({ what }) => what === "long_poll")) return;
  }
}

describe("a long poll, on a clock that nobody moves", () => {
  let broker: Broker;
  let json: Session;

  beforeEach(async () => {
    broker = await openKafkaBroker({ clock: "manual", brokers: 2 });
    json = Session.open(broker);
    // Broker 1 leads the first partition, broker 2 the second.
    broker.cluster.createTopic({ topic: "orders", partitions: 2, replicationFactor: 2 });
  });

  async function kafkaWaits() {
    const client = await KafkaClient.open(broker);
    const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1 << 20 }];
    const topics = [{ topic: "orders", partitions }];
    const waiting = client.ask("Fetch", 12, { maxWaitMs: 60_000, minBytes: 1, maxBytes: 1 << 20, topics });
    await untilOneWaits(json);
    return { client, waiting };
  }

  async function jsonWaits() {
    const waiting = Session.open(broker);
    const partitions = [OTHER, PLACE].map((place) => ({ ...place, offset: 0 }));
    waiting.request({ operation: "fetch_many", partitions, min_bytes: 1, max_wait_ms: 60_000 });
    await untilOneWaits(json);
    return waiting;
  }

  test("of Kafka's is NOT_LEADER_OR_FOLLOWER, and names the new leader, when that is promoted", async () => {
    const { waiting } = await kafkaWaits();
    await broker.cluster.promote(PLACE, 2);
    const { responses } = await waiting;
    expect(responses[0]?.partitions[0]).toMatchObject({
      errorCode: 6,
      currentLeader: { leaderId: 2, leaderEpoch: 1 },
    });
  });

  test("of Kafka's goes on when another partition's leader changes, and ends with the connection when its broker stops", async () => {
    const { client, waiting } = await kafkaWaits();
    await broker.cluster.promote(OTHER, 1);
    await json.call("ping");
    expect(client.correlationIds).toEqual([]);
    await broker.cluster.stopBroker(1);
    // The answer may be on its way when the line is cut.
    const told = await waiting.then(
      ({ responses }) => responses[0]?.partitions[0]?.errorCode,
      () => "cut",
    );
    expect([6, "cut"]).toContain(told);
    await client.closed();
  });

  test("of JSON is answered when one of its partitions has another leader", async () => {
    const waiting = await jsonWaits();
    await broker.cluster.promote(PLACE, 2);
    expect(await waiting.answer()).toMatchObject({
      ok: true,
      partitions: [{ records: [] }, { records: [] }],
    });
  });

  test("of JSON is answered with LEADER_NOT_AVAILABLE when its leader's broker stops", async () => {
    const waiting = await jsonWaits();
    await broker.cluster.stopBroker(1);
    expect(await waiting.answer()).toMatchObject({
      partitions: [{ records: [] }, { code: "LEADER_NOT_AVAILABLE" }],
    });
  });
});
