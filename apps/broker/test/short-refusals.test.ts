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

/** They clear a screen, begin an order to it in one byte, turn the reading direction and break a line. */
const HOSTILE = "a\u001b[2J\u009b\u202e\u2028\n";

test.each<object | string>([
  { operation: HOSTILE },
  { operation: "metadata", topic: HOSTILE },
  { operation: "ping", [HOSTILE]: 1 },
  { operation: "alter_config", topic: "orders", config: { [HOSTILE]: 1 } },
  { operation: "describe_group", group_id: HOSTILE },
  { operation: "describe_transaction", transactional_id: HOSTILE },
  { operation: "heartbeat", group_id: HOSTILE, member_id: HOSTILE, generation: 1 },
  { operation: "load_snapshot", name: HOSTILE },
  { operation: "create_topic", topic: HOSTILE, partitions: 1 },
  `{${JSON.stringify(HOSTILE)}:1,${JSON.stringify(HOSTILE)}:2}`,
  HOSTILE.trim(),
])("the message of a refusal of %j holds nothing that a terminal obeys", async (request) => {
  const broker = await openBroker();
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const session = Session.open(broker);
  session.stream.write(`${typeof request === "string" ? request : JSON.stringify(request)}\n`);
  const answer = await session.answer();
  expect(answer).toMatchObject({ ok: false });
  expect(answer?.message).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
});
