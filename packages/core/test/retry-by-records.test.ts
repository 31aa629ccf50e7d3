/** A retry that is known by its records, as those of Kafka's clients are: they may come with other times, and packed in another way. */
import { type BatchContent, encodeBatch, type Record, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import type { RetryRule } from "../src/replica/same-batch.ts";
import { duplicateIn } from "../src/replica/sequence-check.ts";
import { openCluster } from "./cluster-world.ts";
import { compactedWorld, framesOf, keyed, request } from "./compaction-world.ts";
import { worldOn } from "./log-world.ts";
import { gzipOnly, packedBatch } from "./packing.ts";
import { memoryWorld, rejection } from "./world.ts";

const ORDERS = { topic: "orders", partition: 0 };

async function opened(config: object = {}): Promise<BrokerCluster> {
  const cluster = await openCluster({ ...memoryWorld(), compression: gzipOnly });
  cluster.createTopic({ topic: "orders", partitions: 1, config: { ...config } });
  return cluster;
}

const record = (value: string, more: Partial<Record> = {}): Record => ({
  ...{ key: Buffer.from("k"), value: Buffer.from(value), timestampMs: 5 },
  headers: [{ key: "h", value: Buffer.from("1") }],
  ...more,
});

const FIRST = [record("a"), record("b", { timestampMs: 900 })];
const OTHER_TIMES = [record("a", { timestampMs: 70_000 }), record("b")];

/** Each differs from FIRST in one place, besides the times. */
const OTHERS: readonly (readonly [string, readonly Record[]])[] = [
  ["a value", [record("a"), record("c")]],
  ["a value that is none", [record("a"), record("b", { value: null })]],
  ["a key", [record("a"), record("b", { key: Buffer.from("j") })]],
  ["no key", [record("a", { key: null }), record("b")]],
  ["a header's value", [record("a", { headers: [{ key: "h", value: Buffer.from("2") }] }), record("b")]],
  ["a header's name", [record("a", { headers: [{ key: "i", value: Buffer.from("1") }] }), record("b")]],
  ["no header", [record("a"), record("b", { headers: [] })]],
  ["their order", [record("b"), record("a")]],
  ["how many they are", [record("a")]],
];

function sender(cluster: BrokerCluster, retriesKnownBy: RetryRule = "records") {
  const producer = { ...cluster.initProducer({}), baseSequence: 0 };
  return (records: readonly Record[], pack: (content: BatchContent) => Buffer = encodeBatch) =>
    cluster.appendBatch(ORDERS, pack({ records, ...producer }), { acks: 1, retriesKnownBy });
}

test("the same records with other times are a retry, in whatever form they come and were kept", async () => {
  for (const compression_type of ["producer", "gzip", "uncompressed"])
    for (const message_timestamp_type of ["CreateTime", "LogAppendTime"]) {
      const cluster = await opened({ compression_type, message_timestamp_type });
      const send = sender(cluster);
      expect(await send(FIRST)).toMatchObject({ baseOffset: 0, duplicate: false });
      for (const pack of [encodeBatch, packedBatch])
        for (const records of [FIRST, OTHER_TIMES])
          expect(await send(records, pack)).toMatchObject({ baseOffset: 0, nextOffset: 2, duplicate: true });
      expect(cluster.describeOffsets(ORDERS).logEndOffset).toBe(2);
    }
});

test("by content they are none", async () => {
  const send = sender(await opened(), "content");
  await send(FIRST);
  expect(await rejection(send(OTHER_TIMES))).toMatchObject({ code: "OUT_OF_ORDER_SEQUENCE" });
  expect(await send(FIRST, packedBatch)).toMatchObject({ baseOffset: 0, duplicate: true });
});

test.for(OTHERS)(
  "records that differ in %s are refused for a sequence that is taken",
  async ([, records]) => {
    const cluster = await opened();
    const send = sender(cluster);
    await send(FIRST);
    for (const pack of [encodeBatch, packedBatch])
      expect(await rejection(send(records, pack))).toMatchObject({
        code: "OUT_OF_ORDER_SEQUENCE",
        details: { expected: 2, actual: 0 },
      });
    expect(cluster.describeOffsets(ORDERS).logEndOffset).toBe(2);
  },
);

test("once the records were deleted, a retry with the same bytes is known; what has others may be other records, and is refused", async () => {
  const cluster = await opened();
  const send = sender(cluster);
  await send(FIRST);
  await cluster.deleteRecords(ORDERS, 2);
  expect(await send(FIRST)).toMatchObject({ baseOffset: 0, duplicate: true });
  for (const records of [OTHER_TIMES, [record("c"), record("d")]])
    expect(await rejection(send(records))).toMatchObject({ code: "OUT_OF_ORDER_SEQUENCE" });
});

const PRODUCER = { producerId: 7, producerEpoch: 0, baseSequence: 0 };
const RULES = { duplicateWindow: 5, requireCurrent: () => {} };
const PAIRS = [
  ["gone", "1".padEnd(90, ".")],
  ["stays", "2".padEnd(90, ".")],
] as const;

/** What is said of the batch with these pairs: where it was appended, or the refusal. */
function judged(log: PartitionLog, pairs: Parameters<typeof keyed>[0], timestampMs: number): unknown {
  const plain = keyed(pairs, timestampMs, PRODUCER);
  try {
    return duplicateIn(log, { header: readBatchHeader(plain), plain }, RULES, gzipOnly, "records");
  } catch (problem) {
    return problem;
  }
}

/** A log that had PAIRS in one batch, and later records of the `superseded` keys; how many compaction has left of the batch. */
async function thinned(superseded: readonly string[]) {
  const world = compactedWorld();
  const log = world.open();
  log.append(keyed(PAIRS, 1000, PRODUCER), 0);
  log.append(keyed(superseded.map((key) => [key, "later".padEnd(200, ".")] as const)), 0);
  await log.roll();
  log.append(keyed([["other", "value"]]), 0);
  await log.flush();
  expect(await log.compact(request(log))).not.toBeNull();
  return { world, log, left: readBatchHeader(framesOf(log)[0] as Buffer).recordCount };
}

const OUT_OF_ORDER = { code: "OUT_OF_ORDER_SEQUENCE" };

test("what compaction has thinned is known by its bytes, and what has others is refused, as long as these are known", async () => {
  const { log, left } = await thinned(["gone"]);
  expect(left).toBe(1);
  expect(judged(log, PAIRS, 1000)).toMatchObject({ baseOffset: 0, nextOffset: 2 });
  expect(judged(log, [["else", PAIRS[0][1]], PAIRS[1]], 1000)).toMatchObject(OUT_OF_ORDER);
});

test("when nothing but thinned batches tells of a producer, what is left of one is compared, and the rest goes by its sequences", async () => {
  for (const superseded of [["gone"], ["gone", "stays"]]) {
    const { world, log, left } = await thinned(superseded);
    expect(left).toBe(2 - superseded.length);
    await log.close();
    for (const path of [...world.disk.files().keys()])
      if (path.endsWith(".snapshot")) world.disk.remove(path);
    const walked = worldOn(world.disk, { compacts: true }).open({ create: false });
    expect(walked.producer(7)?.batches).toMatchObject([{ contentCrc: null }]);
    expect(judged(walked, PAIRS, 9000)).toMatchObject({ baseOffset: 0, nextOffset: 2 });
    const other = judged(walked, [PAIRS[0], ["stays", "else"]], 1000);
    expect(other).toMatchObject(left === 1 ? OUT_OF_ORDER : { baseOffset: 0 });
    await walked.close();
  }
});
