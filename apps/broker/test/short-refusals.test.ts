/** What is refused is told in a short line, however long what was asked. */
import { expect, test } from "vitest";
import { openBroker, Session } from "./support/broker.ts";

const LONG = "x".repeat(100_000);
const ANSWER_CHARACTERS_MAX = 2_000;

test.each([
  { operation: "fetch", topic: LONG, partition: 0, offset: 0 },
  { operation: "metadata", topic: LONG },
  { operation: "produce", topic: LONG, partition: 0, value_b64: "" },
  { operation: "delete_topic", topic: LONG },
  { operation: "describe_config", topic: LONG },
  { operation: "describe_partition", topic: LONG, partition: 0 },
  { operation: "dump_log", topic: LONG, partition: 0 },
  { operation: "find_in_log", topic: LONG, partition: 0, offset: 0 },
  { operation: "alter_config", topic: "orders", set: { [LONG]: 1 } },
  { operation: "commit_offsets", group: "g", offsets: [{ topic: LONG, partition: 0, offset: 0 }] },
  { operation: LONG },
])("a refusal of $operation repeats no more than a name's length", async (request) => {
  const broker = await openBroker();
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const answer = await Session.open(broker).ask(request);
  expect(answer).toMatchObject({ ok: false });
  expect(JSON.stringify(answer).length).toBeLessThan(ANSWER_CHARACTERS_MAX);
});
