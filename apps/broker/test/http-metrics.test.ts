/** What is counted and measured: by the format's grammar, and by what was really done. */
import { expect, test } from "vitest";
import type { Broker } from "../src/daemon.ts";
import { METRICS } from "../src/http/metrics/metric-table.ts";
import { base64, openBroker, Session } from "./support/broker.ts";
import { get } from "./support/http.ts";
import { readMetrics } from "./support/metrics-text.ts";

async function scraped(broker: Broker) {
  return readMetrics((await get(broker, "/metrics")).text);
}

const MESSAGES_IN = "kafka_server_brokertopicmetrics_messagesin_total";

async function openOrders(settings = {}, replicas = 1) {
  const broker = await openBroker({ http_port: 0, brokers: replicas, ...settings });
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 2, replication_factor: replicas });
  const produce = (value: string, partition = 0) =>
    session.call("produce", { topic: "orders", partition, value_b64: base64(value), acks: 1 });
  return { broker, session, produce };
}

test("both formats are what their grammars say, with help and type for each name, and the same values", async () => {
  const { broker, session, produce } = await openOrders({}, 2);
  await produce("a");
  await session.call("fetch", { topic: "orders", partition: 0, offset: 0, encoding: "records" });
  await session.ask({ operation: "fetch", topic: "nowhere", partition: 0, offset: 0 });
  const plain = await get(broker, "/metrics", { headers: { accept: "text/plain" } });
  const accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
  const open = await get(broker, "/metrics", { headers: { accept } });
  expect(plain.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(open.headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  const [one, other] = [readMetrics(plain.text), readMetrics(open.text, true)];
  expect(one.families.length).toBeGreaterThan(30);
  for (const { name, help } of one.families) {
    expect(Object.keys(METRICS)).toContain(name);
    expect(help.length).toBeGreaterThan(10);
  }
  const steady = ({ name }: { name: string }) => !name.startsWith("process_");
  expect(other.samples.filter(steady)).toEqual(one.samples.filter(steady));
});

test("every sample has the labels of its table, and no others", async () => {
  const { broker, session, produce } = await openOrders();
  await produce("a");
  await session.call("commit_offsets", {
    group_id: "readers",
    offsets: [{ topic: "orders", partition: 0, offset: 0 }],
  });
  for (const { name, labels } of (await scraped(broker)).samples) {
    const { labels: known } = METRICS[name.replace(/_(?:sum|count)$/, "") as keyof typeof METRICS];
    for (const label of Object.keys(labels)) expect([...known, "quantile"], name).toContain(label);
  }
});

test("records and bytes are counted where the leader appends and consumers read, and copies apart", async () => {
  const { broker, session, produce } = await openOrders({}, 2);
  for (const value of ["a", "b", "c"]) await produce(value);
  await session.call("replicate_once");
  await session.call("replicate_once");
  const { batches_b64 } = await session.call("fetch", {
    ...{ topic: "orders", partition: 0, offset: 0, encoding: "batch" },
  });
  const bytes = Buffer.from(String(batches_b64), "base64").length;
  const metrics = await scraped(broker);
  const { leaderId } = broker.cluster.replicaSet({ topic: "orders", partition: 0 });
  const leader = { broker_id: String(leaderId) };
  const ofTopic = { ...leader, topic: "orders" };
  expect(metrics.value(MESSAGES_IN, ofTopic)).toBe(3);
  expect(metrics.value(MESSAGES_IN, leader)).toBe(3);
  const name = (flow: string) => `kafka_server_brokertopicmetrics_${flow}_total`;
  expect(bytes).toBeGreaterThan(0);
  expect(metrics.value(name("bytesin"), ofTopic)).toBe(bytes);
  expect(metrics.value(name("bytesout"), ofTopic)).toBe(bytes);
  expect(metrics.value(name("replicationbytesin"), { broker_id: String(3 - Number(leaderId)) })).toBe(bytes);
  const place = { topic: "orders", partition: "0" };
  expect(metrics.value("kafka_log_log_size", { ...place, ...leader })).toBe(bytes);
  expect(metrics.value("kafka_log_log_logendoffset", { ...place, ...leader })).toBe(3);
  expect(metrics.value("kafka_topic_partition_current_offset", place)).toBe(3);
});

test("after a promotion the new leader's appends are counted, and not its copies", async () => {
  const { broker, session, produce } = await openOrders({}, 2);
  await produce("a");
  await session.call("replicate_once");
  const { leaderId } = broker.cluster.replicaSet({ topic: "orders", partition: 0 });
  const follower = 3 - Number(leaderId);
  await session.call("promote", { topic: "orders", partition: 0, broker_id: follower });
  await produce("b");
  await session.call("replicate_once");
  const metrics = await scraped(broker);
  for (const broker_id of ["1", "2"])
    expect(metrics.value(MESSAGES_IN, { broker_id, topic: "orders" })).toBe(1);
});

test("a topic that is gone has no numbers any more, and the sum keeps what it had", async () => {
  const { broker, session, produce } = await openOrders();
  await produce("a");
  await session.call("delete_topic", { topic: "orders" });
  const metrics = await scraped(broker);
  expect(metrics.labels(MESSAGES_IN, "topic")).toEqual([]);
  expect(metrics.value(MESSAGES_IN, { broker_id: "1" })).toBe(1);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  await produce("b");
  expect((await scraped(broker)).value(MESSAGES_IN, { broker_id: "1", topic: "orders" })).toBe(1);
});

test("replicas that fall out of sync show, by partition, by broker and in how often that happened", async () => {
  const { broker, session } = await openOrders({}, 2);
  const { leaderId } = broker.cluster.replicaSet({ topic: "orders", partition: 0 });
  const place = { topic: "orders", partition: "0" };
  expect((await scraped(broker)).value("kafka_cluster_partition_underreplicated", place)).toBe(0);
  await session.call("remove_from_isr", { topic: "orders", partition: 0, broker_id: 3 - Number(leaderId) });
  const metrics = await scraped(broker);
  expect(metrics.value("kafka_cluster_partition_underreplicated", place)).toBe(1);
  expect(metrics.value("kafka_cluster_partition_insyncreplicascount", place)).toBe(1);
  const ofLeader = { broker_id: String(leaderId) };
  expect(metrics.value("kafka_server_replicamanager_underreplicatedpartitions", ofLeader)).toBe(1);
  expect(metrics.value("kafka_server_replicamanager_isrshrinks_total")).toBe(1);
  expect(metrics.value("kafka_server_replicamanager_isrexpands_total")).toBe(0);
  await session.call("stop_broker", { broker_id: leaderId });
  const stopped = await scraped(broker);
  expect(stopped.value("kafka_controller_kafkacontroller_activebrokercount")).toBe(1);
  expect(stopped.value("kafka_controller_kafkacontroller_offlinepartitionscount")).toBeGreaterThan(0);
  expect(stopped.value("kafka_topic_partition_current_offset", place)).toBeUndefined();
});

test("a group's lag is what it has still to read, whatever its name is, and absent where it is not known", async () => {
  const { broker, session, produce } = await openOrders();
  for (const value of ["a", "b", "c"]) await produce(value);
  const consumergroup = 'a "group"\\ of\nlines ü';
  const offsets = [
    { topic: "orders", partition: 0, offset: 1 },
    { topic: "orders", partition: 1, offset: 9 },
  ];
  await session.call("commit_offsets", { group_id: consumergroup, offsets });
  const metrics = await scraped(broker);
  const at = (partition: string) => ({ consumergroup, topic: "orders", partition });
  expect(metrics.value("kafka_consumergroup_lag", at("0"))).toBe(2);
  expect(metrics.value("kafka_consumergroup_current_offset", at("0"))).toBe(1);
  expect(metrics.value("kafka_consumergroup_current_offset", at("1"))).toBe(9);
  expect(metrics.value("kafka_consumergroup_lag", at("1"))).toBeUndefined();
  expect(metrics.value("kafka_consumergroup_members", { consumergroup })).toBe(0);
});

test("with a manual clock nothing is said of how long requests take; what is pending and armed is", async () => {
  const { broker, session, produce } = await openOrders({}, 2);
  await produce("a");
  await session.call("arm_fault", { point: "request.ping", action: "delay", delay_ms: 5, times: "always" });
  const { steps } = await session.call("pending_steps");
  const rounds = steps.filter(({ operation }) => operation === "replicate_once").length;
  const metrics = await scraped(broker);
  expect(metrics.samples.filter(({ name }) => /time_ms|totaltimems/.test(name))).toEqual([]);
  expect(metrics.value("minikafka_clock_manual")).toBe(1);
  expect(metrics.value("minikafka_clock_seconds")).toBe(1_700_000_000);
  expect(metrics.value("minikafka_pending_steps", { operation: "replicate_once" })).toBe(rounds);
  expect(rounds).toBeGreaterThan(0);
  expect(metrics.value("minikafka_armed_faults")).toBe(1);
  expect(metrics.value("minikafka_json_requests_total", { operation: "produce" })).toBe(1);
});

test("a fault that acts is counted by its point, and by what it does", async () => {
  const { broker, session } = await openOrders();
  const fault = { point: "request.metadata", action: "error", code: "STORAGE_ERROR" } as const;
  const { rule_id } = await session.call("arm_fault", { ...fault, times: "always" });
  for (let count = 0; count < 3; count += 1) await session.ask({ operation: "metadata", topic: "orders" });
  await session.call("disarm_faults", { rule_id });
  const metrics = await scraped(broker);
  expect(metrics.value("minikafka_faults_fired_total", { point: fault.point, action: "error" })).toBe(3);
  expect(metrics.value("minikafka_armed_faults")).toBe(0);
  const refused = { operation: "metadata", error: "STORAGE_ERROR" };
  expect(metrics.value("minikafka_json_request_errors_total", refused)).toBe(3);
});

test("as time goes by requests are timed, and refusals counted by their code", async () => {
  const { broker, session, produce } = await openOrders({ clock: "auto", start_time: undefined });
  for (const value of ["a", "b"]) await produce(value);
  await session.ask({ operation: "metadata", topic: "nowhere" });
  await session.ask({ operation: "nothing" });
  const metrics = await scraped(broker);
  const produced = { operation: "produce" };
  expect(metrics.value("minikafka_json_request_time_ms_count", produced)).toBe(2);
  const [sum, median] = [
    metrics.value("minikafka_json_request_time_ms_sum", produced) ?? 0,
    metrics.value("minikafka_json_request_time_ms", { ...produced, quantile: "0.50" }) ?? 0,
  ];
  expect(median).toBeGreaterThan(0);
  expect(sum).toBeGreaterThanOrEqual(2 * median);
  const refused = { operation: "metadata", error: "UNKNOWN_TOPIC" };
  expect(metrics.value("minikafka_json_request_errors_total", refused)).toBe(1);
  expect(metrics.labels("minikafka_json_requests_total", "operation")).toContain("unreadable");
  expect(metrics.labels("minikafka_json_requests_total", "operation")).not.toContain("nothing");
});

test("two brokers in one process count each for itself", async () => {
  const one = await openOrders();
  const other = await openOrders();
  await one.produce("a");
  const labels = { broker_id: "1", topic: "orders" };
  expect((await scraped(one.broker)).value(MESSAGES_IN, labels)).toBe(1);
  expect((await scraped(other.broker)).value(MESSAGES_IN, labels)).toBeUndefined();
});

test("what is done once more to load a snapshot is not counted, and what comes behind it is", async () => {
  const { broker, session, produce } = await openOrders();
  await produce("a");
  await session.call("save_snapshot", { name: "one", keep: "memory" });
  await produce("b");
  const before = await scraped(broker);
  await session.call("load_snapshot", { name: "one" });
  const labels = { broker_id: "1", topic: "orders" };
  expect(before.value(MESSAGES_IN, labels)).toBe(2);
  expect((await scraped(broker)).value(MESSAGES_IN, labels)).toBe(2);
  await produce("c");
  const after = await scraped(broker);
  expect(after.value(MESSAGES_IN, labels)).toBe(3);
  const place = { topic: "orders", partition: "0", broker_id: "1" };
  expect(after.value("kafka_log_log_logendoffset", place)).toBe(2);
});
