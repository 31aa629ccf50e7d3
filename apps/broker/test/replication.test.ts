/** Several brokers in one daemon, in auto mode: replication by itself, and nothing elected. */
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };
const AUTO = { clock: "auto", start_time: undefined, brokers: 3 };

async function replicated(settings: object = {}) {
  const broker = await openBroker({ ...AUTO, ...settings });
  const session = Session.open(broker);
  const config = { min_insync_replicas: 2 };
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 3, config });
  return { broker, session };
}

test("acks all over three brokers is answered by itself, with every copy on its disk", async () => {
  const { broker, session } = await replicated();
  for (let n = 0; n < 20; n++) {
    const produced = await session.call("produce", { ...PLACE, value_b64: base64(`${n}`), acks: "all" });
    expect(produced).toMatchObject({ offset: n });
  }
  const { copies } = broker.cluster.replicaSet(PLACE);
  expect(copies.map(({ log }) => log.flushedOffset)).toEqual([20, 20, 20]);
});

test("what is produced becomes visible by itself, and every replica hears of it", async () => {
  const { broker, session } = await replicated();
  await session.call("produce", { ...PLACE, value_b64: base64("a") });
  const fetched = await session.call("fetch", { ...PLACE, offset: 0, min_bytes: 1, max_wait_ms: 60_000 });
  expect(fetched).toMatchObject({ high_watermark: 1, next_offset: 1 });
  for (;;) {
    const { replicas } = await session.call("describe_partition", PLACE);
    if (replicas.every(({ high_watermark }) => high_watermark === 1)) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(broker.cluster.replicaSet(PLACE).inSyncReplicas).toEqual([1, 2, 3]);
});

test("a leader that stops is followed by nobody until one is promoted; then production goes on", async () => {
  const { broker, session } = await replicated();
  await session.call("produce", { ...PLACE, value_b64: base64("before"), acks: "all" });
  await broker.cluster.stopBroker(1);
  const refused = await session.ask({ operation: "produce", ...PLACE, value_b64: base64("x") });
  expect(refused).toMatchObject({ code: "LEADER_NOT_AVAILABLE", retriable: true });
  await broker.cluster.promote(PLACE, 2);
  expect(await session.call("produce", { ...PLACE, value_b64: base64("after"), acks: "all" })).toMatchObject({
    offset: 1,
  });
});

test("with a manual clock nothing is replicated by itself", async () => {
  const session = Session.open(await openBroker({ brokers: 2 }));
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: 2 });
  await session.call("produce", { ...PLACE, value_b64: base64("a") });
  await new Promise((resolve) => setImmediate(resolve));
  const { high_watermark: highWatermark } = await session.call("describe_partition", PLACE);
  expect(highWatermark).toBe(0);
});
