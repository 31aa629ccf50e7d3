/** The state of everything, in one answer. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";
import { get, getJson } from "./support/http.ts";

async function openWorld(disk = new MemoryDisk(), settings = {}) {
  const broker = await openBroker({ http_port: 0, ...settings }, disk);
  const session = Session.open(broker);
  return { broker, session };
}

async function fill(session: Session): Promise<void> {
  await session.call("create_topic", { topic: "orders", partitions: 2 });
  await session.call("produce", { topic: "orders", partition: 0, value_b64: base64("a"), acks: 1 });
  await session.call("join_group", { group_id: "readers", member_id: "one", topics: ["orders"] });
  const offsets = [{ topic: "orders", partition: 0, offset: 0 }];
  await session.call("commit_offsets", { group_id: "others", offsets });
  const producer = await session.call("init_producer", { transactional_id: "tx" });
  const { producer_id, producer_epoch } = producer;
  await session.call("begin_transaction", { transactional_id: "tx", producer_id, producer_epoch });
  await session.call("arm_fault", { point: "request.ping", action: "delay", delay_ms: 5, times: "always" });
}

test("each part of the state is what its own operation tells", async () => {
  const { broker, session } = await openWorld();
  await fill(session);
  // These bring into memory what a look does not.
  for (const operation of ["list_groups", "list_transactions"] as const) await session.call(operation);
  const { body } = await getJson(broker, "/snapshot");
  const told = async (operation: string, fields: object = {}) => {
    const { ok: _ok, ...answer } = (await session.ask({ operation, ...fields })) ?? {};
    return answer as { [name: string]: unknown };
  };
  expect(body.cluster).toEqual({ ...(await told("describe_cluster")), seed: 0 });
  const { topics } = (await told("list_topics")) as { topics: { topic: string; partitions: number }[] };
  expect(body.topics.map(({ topic }: { topic: string }) => topic)).toEqual(topics.map(({ topic }) => topic));
  for (const { topic, partitions } of body.topics)
    for (const partition of partitions)
      expect(partition).toEqual(await told("describe_partition", { topic, partition: partition.partition }));
  expect(body.groups.map(({ group_id }: { group_id: string }) => group_id)).toEqual(["others", "readers"]);
  for (const { offsets, ...group } of body.groups) {
    const { group_id } = group;
    expect(group).toEqual(await told("describe_group", { group_id }));
    const committed = offsets.map(({ lag: _lag, ...offset }: { lag: number }) => offset);
    expect({ offsets: committed }).toEqual(await told("fetch_offsets", { group_id }));
  }
  const { transactions } = await told("list_transactions");
  expect(body.transactions).toEqual(transactions);
  expect(body.transactions).toHaveLength(1);
  expect(body.pending).toEqual(await told("pending_steps"));
  expect(body.pending.steps.length).toBeGreaterThan(0);
  const { rules } = await told("list_faults");
  expect(body.faults).toEqual(rules);
  expect(body.faults).toHaveLength(1);
  expect(body.unloaded).toEqual({ groups: [], transactions: [] });
});

test("where it is told over HTTP how the broker is the broker says to its clients, and says so again when a state is gone back to", async () => {
  const { broker, session } = await openWorld();
  const { port } = broker.httpAddress ?? {};
  const told = await session.call("describe_cluster");
  expect([typeof port, told.http_port]).toEqual(["number", port]);
  await session.call("save_snapshot", { name: "before" });
  expect(await session.call("load_snapshot", { name: "before" })).toMatchObject({ difference: null });
  expect(await session.call("describe_cluster")).toEqual(told);
  const without = Session.open(await openBroker({ data: "/without" }));
  expect(await without.call("describe_cluster")).toMatchObject({ http_port: null });
});

test("a look changes nothing: neither the state, nor the clock, nor what happened, nor what a trace holds", async () => {
  const { broker, session } = await openWorld();
  await fill(session);
  const history = () => session.call("read_history", { from: 0 });
  const before = await history();
  const { text } = await get(broker, "/snapshot");
  for (const path of ["/metrics", "/readyz", "/healthz", "/snapshot", "/snapshot?topics=orders"])
    await get(broker, path);
  expect((await get(broker, "/snapshot")).text).toBe(text);
  expect(await history()).toEqual(before);
});

test("a look writes nothing and passes no fault point, though the indexes are missing of what it reads", async () => {
  const disk = new MemoryDisk();
  const { broker, session } = await openWorld(disk, { brokers: 2 });
  const fields = { topic: "orders", partitions: 1, replication_factor: 2, config: { segment_bytes: 1024 } };
  await session.call("create_topic", fields);
  const value_b64 = base64("x".repeat(600));
  for (let n = 0; n < 3; n++)
    await session.call("produce", { topic: "orders", partition: 0, value_b64, acks: 1 });
  await session.call("flush_logs");
  await session.call("arm_fault", { point: "log.index.before_write", action: "error" });
  const before = disk.files();
  const { pending, faults } = (await getJson(broker, "/snapshot")).body;
  await get(broker, "/metrics");
  expect(pending.steps).toContainEqual(expect.objectContaining({ operation: "replicate_once" }));
  expect(faults).toMatchObject([{ hits: 0 }]);
  expect((await getJson(broker, "/snapshot")).body.faults).toEqual(faults);
  expect(disk.files()).toEqual(before);
});

test("only the topics that are asked for are told, of those that there are", async () => {
  const { broker, session } = await openWorld();
  await fill(session);
  const topicsOf = async (query: string) =>
    (await getJson(broker, `/snapshot?${query}`)).body.topics.map(({ topic }: { topic: string }) => topic);
  expect(await topicsOf("topics=orders,nowhere")).toEqual(["orders"]);
  expect(await topicsOf("topics=__consumer_offsets&topics=orders")).toEqual(["__consumer_offsets", "orders"]);
});

test("groups and transactions that are not in memory are not brought there, and it is told that they are missing", async () => {
  const disk = new MemoryDisk();
  const first = await openWorld(disk);
  await fill(first.session);
  await first.broker.close();
  const { broker, session } = await openWorld(disk);
  const look = async () => (await getJson(broker, "/snapshot")).body;
  const unseen = await look();
  expect(unseen.groups).toEqual([]);
  expect(unseen.unloaded.groups.length).toBeGreaterThan(0);
  expect(await look()).toEqual(unseen);
  await session.call("list_groups");
  const seen = await look();
  expect(seen.groups.map(({ group_id }: { group_id: string }) => group_id)).toContain("others");
  expect(seen.unloaded.groups).toEqual([]);
});
