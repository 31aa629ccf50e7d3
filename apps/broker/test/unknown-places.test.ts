/** A request that names a topic, a partition or a broker that there is not is refused by its code, whatever it asks for. */
import { OPERATIONS, type OperationName } from "@minikafka/protocol";
import { expect, test } from "vitest";
import type { z } from "zod";
import { openBroker, Session } from "./support/broker.ts";

/** A topic that is to be made need not exist, nor what a fault is armed for that waits for it. */
const OPERATION_NAMES = (Object.keys(OPERATIONS) as OperationName[]).filter(
  (name) => name !== "create_topic" && name !== "arm_fault",
);

/** What an operation needs beside its place. */
const BESIDES: { readonly [name in OperationName]?: object } = {
  alter_config: { config: { retention_ms: 1_000 } },
  create_partitions: { partitions: 9 },
  produce: { value_b64: "" },
  fetch: { offset: 0 },
  list_offsets: { timestamp_ms: -1 },
  delete_records: { before_offset: 0 },
  find_in_log: { offset: 0 },
};

const KNOWN = { topic: "orders", partition: 0, broker_id: 1 };

/** Every operation that takes `field`. */
function operationsWith(field: keyof typeof KNOWN): OperationName[] {
  return OPERATION_NAMES.filter((name) => field in fieldsOf(name));
}

function fieldsOf(name: OperationName): object {
  return (OPERATIONS[name].request as z.ZodObject).shape;
}

async function refusals(field: keyof typeof KNOWN, unknown: string | number): Promise<object> {
  const session = Session.open(await openBroker({ brokers: 3 }));
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 2 });
  const refused: { [name: string]: unknown } = {};
  for (const operation of operationsWith(field)) {
    const known = Object.entries(KNOWN).filter(([name]) => name in fieldsOf(operation));
    const place = { ...Object.fromEntries(known), [field]: unknown };
    refused[operation] = (await session.ask({ operation, ...place, ...BESIDES[operation] }))?.code ?? "ok";
  }
  return refused;
}

function eachIs(operations: readonly OperationName[], code: string): object {
  return Object.fromEntries(operations.map((operation) => [operation, code]));
}

test("an unknown topic is UNKNOWN_TOPIC in every operation that takes a topic", async () => {
  const operations = operationsWith("topic");
  expect(operations).toEqual(
    expect.arrayContaining(["replicate_once", "refresh_isr", "apply_retention", "compact"]),
  );
  expect(await refusals("topic", "nowhere")).toEqual(eachIs(operations, "UNKNOWN_TOPIC"));
});

test("an unknown partition is UNKNOWN_PARTITION in every operation that takes a partition", async () => {
  const operations = operationsWith("partition");
  expect(operations).toEqual(expect.arrayContaining(["replicate_once", "refresh_isr", "roll_segment"]));
  expect(await refusals("partition", 9)).toEqual(eachIs(operations, "UNKNOWN_PARTITION"));
});

test("an unknown broker is INVALID_REQUEST in every operation that takes a broker, and so is one without a copy", async () => {
  const operations = operationsWith("broker_id");
  expect(operations).toEqual(expect.arrayContaining(["replicate_once", "stop_broker", "dump_log"]));
  expect(await refusals("broker_id", 9)).toEqual(eachIs(operations, "INVALID_REQUEST"));
  const ofCopies = operations.filter((name) => "partition" in fieldsOf(name));
  expect(await refusals("broker_id", 3)).toMatchObject(eachIs(ofCopies, "INVALID_REQUEST"));
});

test("a step for a broker that there is not says which there are", async () => {
  const session = Session.open(await openBroker({ brokers: 2 }));
  expect(await session.ask({ operation: "replicate_once", broker_id: 9 })).toMatchObject({
    code: "INVALID_REQUEST",
    message: "there is no broker 9; expected one of 1, 2",
  });
});

test("fetch_many tells an unknown place in its own entry", async () => {
  const session = Session.open(await openBroker());
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const partitions = [
    { topic: "nowhere", partition: 0, offset: 0 },
    { topic: "orders", partition: 9, offset: 0 },
  ];
  expect(await session.call("fetch_many", { partitions })).toMatchObject({
    partitions: [{ code: "UNKNOWN_TOPIC" }, { code: "UNKNOWN_PARTITION" }],
  });
});
