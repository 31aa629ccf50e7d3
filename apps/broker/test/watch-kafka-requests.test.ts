/** Requests of Kafka's protocol among the events of a watch. */
import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

type Event = { readonly [name: string]: unknown };

async function ends(watching: Session, count: number): Promise<unknown[]> {
  const found: unknown[] = [];
  while (found.length < count) {
    const event = (await watching.answer())?.event as Event;
    expect(event.kind).toBe("request_done");
    const { operation, id, topic, broker_id, outcome, answered } = event;
    found.push({ operation, id, topic, broker_id, outcome, answered });
  }
  return found;
}

test("requests of Kafka's clients are told as well: API, correlation id, broker and topic, and Kafka's name of what went wrong", async () => {
  const broker = await openKafkaBroker({ brokers: 2, lab: true });
  const json = Session.open(broker);
  broker.cluster.createTopic({ topic: "orders", partitions: 1 });
  const watching = Session.open(broker);
  await watching.call("watch", { kinds: ["request_done"] });
  const client = await KafkaClient.open(broker, 2);
  await client.ask("Metadata", 4, { topics: [{ name: "orders" }] });
  await client.ask("ApiVersions", 3, { clientSoftwareName: "-no-", clientSoftwareVersion: "1" });
  const kafka = { topic: undefined, broker_id: 2, answered: true };
  expect(await ends(watching, 2)).toEqual([
    { ...kafka, operation: "kafka.Metadata", id: 1, topic: "orders", outcome: "ok" },
    { ...kafka, operation: "kafka.ApiVersions", id: 2, outcome: "INVALID_REQUEST" },
  ]);
  await json.call("arm_fault", { point: "kafka.Metadata", action: "error", code: "LEADER_NOT_AVAILABLE" });
  await client.ask("Metadata", 4, { topics: null });
  const unknown = client.frame("ApiVersions", 0, {});
  unknown.writeInt16BE(99, 6);
  await client.exchange(unknown);
  // The length of a list that is not there, and a version that nobody speaks.
  const torn = client.frame("Metadata", 4, { topics: null });
  torn.fill(0x7f, torn.length - 5);
  await client.exchange(torn);
  const other = await KafkaClient.open(broker, 2);
  const strange = other.frame("Metadata", 4, { topics: null });
  strange.writeInt16BE(99, 6);
  await other.exchange(strange);
  expect(await ends(watching, 5)).toEqual([
    expect.objectContaining({ operation: "arm_fault", outcome: "ok" }),
    { ...kafka, operation: "kafka.Metadata", id: 3, outcome: "LEADER_NOT_AVAILABLE" },
    { ...kafka, operation: "kafka.ApiVersions", id: 4, outcome: "UNSUPPORTED_VERSION" },
    { ...kafka, operation: "kafka.Metadata", id: 5, outcome: null, answered: false },
    { ...kafka, operation: "kafka.Metadata", id: 1, outcome: null, answered: false },
  ]);
});

test("with a manual clock they have the numbers of the trace, in one count with those of JSON", async () => {
  const broker = await openKafkaBroker({ clock: "manual", start_time: 0 });
  const json = Session.open(broker);
  const watching = Session.open(broker);
  await watching.call("watch", { kinds: ["request_taken"] });
  const client = await KafkaClient.open(broker);
  await client.ask("ApiVersions", 0, {});
  await json.call("ping");
  await client.ask("ApiVersions", 0, {});
  const told: unknown[] = [];
  for (let number = 0; number < 3; number += 1)
    told.push(((await watching.answer())?.event as Event | undefined)?.request);
  const { lines } = await json.call("read_history");
  const entries = lines.map((line) => JSON.parse(line));
  const traced = entries.flatMap(
    ({ request, kafka_request }) => request?.number ?? kafka_request?.number ?? [],
  );
  expect(told).toEqual([2, 3, 4]);
  expect(traced).toEqual([1, 2, 3, 4]);
});
