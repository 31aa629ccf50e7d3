/** What may be written to a compacted topic, whichever protocol it comes by. */
import { KAFKA_ERRORS } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import { base64, Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";
import { kafkaBatch } from "./support/kafka-records.ts";

const PLACE = { topic: "profiles", partition: 0 };

test.each(["compact", "compact,delete"])(
  "a record without a key is INVALID_RECORD in a topic that is %s, through both protocols, and nothing is appended",
  async (cleanup_policy) => {
    const broker = await openKafkaBroker();
    broker.cluster.createTopic({ topic: "profiles", partitions: 1, config: { cleanup_policy } });
    const json = Session.open(broker);
    const value_b64 = base64("v");
    await json.call("produce", { ...PLACE, key_b64: base64("k"), value_b64 });
    await json.call("produce", { ...PLACE, key_b64: "", value_b64 });
    expect(await json.ask({ operation: "produce", ...PLACE, value_b64 })).toMatchObject({
      ok: false,
      code: "INVALID_RECORD",
      message: expect.stringContaining("record 0 has no key"),
    });
    const client = await KafkaClient.open(broker);
    const produced = async (version: number) => {
      const { responses } = await client.ask("Produce", version, {
        transactionalId: null,
        acks: -1,
        timeoutMs: 5_000,
        topicData: [{ name: "profiles", partitionData: [{ index: 0, records: kafkaBatch(["v"]) }] }],
      });
      return responses[0]?.partitionResponses[0];
    };
    for (const version of [3, 8, 9])
      expect(await produced(version)).toMatchObject({
        errorCode: KAFKA_ERRORS.INVALID_RECORD,
        baseOffset: -1,
      });
    expect(await produced(9)).toMatchObject({ errorMessage: expect.stringContaining("record 0 has no key") });
    broker.cluster.alterConfig("profiles", { cleanup_policy: "delete" });
    expect(await produced(9)).toMatchObject({ errorCode: 0, baseOffset: 2 });
  },
);
