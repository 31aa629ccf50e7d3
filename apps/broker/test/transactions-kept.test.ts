/** What was aborted stays hidden, and what was committed stays there: under a name that is used again, compaction, and new starts. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";
import { COMMITTED, fetched, TransactionalSession } from "./support/transactions.ts";

const PLACE = { topic: "orders", partition: 0 };

/** The offsets and values that a reader is shown, who goes on until there is no more. */
async function shown(session: Session, fields: object = {}): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for (let offset = 0; ; ) {
    const { records, next_offset } = await fetched(session, { ...fields, offset });
    for (const record of records as { offset: number; value_b64: string }[])
      found.push([record.offset, Buffer.from(record.value_b64, "base64").toString()]);
    if (next_offset === offset) return found;
    offset = Number(next_offset);
  }
}

/** A transaction of records with keys: `k=v`. */
async function transact(producer: TransactionalSession, commit: boolean, ...pairs: string[]): Promise<void> {
  await producer.begin();
  const records = pairs.map((pair) => {
    const [key = "", value = ""] = pair.split("=");
    return { key_b64: base64(key), value_b64: base64(value) };
  });
  const values = pairs.map(() => "");
  await producer.session.call("produce", { ...producer.produceFields(values), records });
  await producer.end(commit);
}

test("an id that aborts and then commits never brings the aborted records back, also after compaction and a restart", async () => {
  const disk = new MemoryDisk();
  const broker = await openBroker({}, disk);
  const session = Session.open(broker);
  const config = { cleanup_policy: "compact", segment_bytes: 1024, delete_retention_ms: 0 };
  await session.call("create_topic", { topic: "orders", partitions: 1, config });
  const producer = await TransactionalSession.open(session);
  await transact(producer, true, "a=1", "b=1");
  await transact(producer, false, "a=undone", "c=undone");
  await transact(producer, true, "a=2");
  await transact(producer, false, "b=undone");
  const before: [number, string][] = [
    [0, "1"],
    [1, "1"],
    [6, "2"],
  ];
  expect(await shown(session, COMMITTED)).toEqual(before);
  const everything = await shown(session);
  expect(everything.filter(([, value]) => value === "undone")).toHaveLength(3);

  await session.call("roll_segment", PLACE);
  await session.call("flush_logs");
  await session.call("compact", { topic: "orders" });
  // b=undone outdoes nothing: what it would have replaced is still there, and it is not.
  const after: [number, string][] = [
    [1, "1"],
    [6, "2"],
  ];
  expect(await shown(session, COMMITTED)).toEqual(after);
  expect(await shown(session)).toEqual(after);
  await broker.close();

  const again = Session.open(await openBroker({}, disk));
  expect(await shown(again, COMMITTED)).toEqual(after);
  expect(await shown(again)).toEqual(after);
  const newcomer = await TransactionalSession.open(again);
  await transact(newcomer, true, "c=1");
  expect(await shown(again, COMMITTED)).toEqual([...after, [10, "1"]]);
});

test("an open transaction outlives a crash: it stays hidden, holds readers up, and its producer may commit it", async () => {
  const disk = new MemoryDisk();
  const broker = await openBroker({}, disk, (one) => one.close().catch(() => undefined));
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const producer = await TransactionalSession.open(session);
  await transact(producer, true, "a=1");
  await producer.begin();
  await producer.produce("open");
  const { who } = producer;
  disk.crash({ mode: "lost" });
  await broker.cluster.crash();

  const again = Session.open(await openBroker({}, disk));
  expect(await shown(again, COMMITTED)).toEqual([[0, "1"]]);
  expect(await again.call("list_transactions", { states: ["ongoing"] })).toMatchObject({
    transactions: [{ transactional_id: "billing", partitions: 1 }],
  });
  await again.call("end_transaction", { ...who, commit: true });
  expect(await shown(again, COMMITTED)).toEqual([
    [0, "1"],
    [2, "open"],
  ]);
});
