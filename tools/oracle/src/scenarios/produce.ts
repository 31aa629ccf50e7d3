/** Produce: good batches, batches that are wrong in each of their parts, producers with sequences. */
import { gzipSync } from "node:zlib";
import {
  APPEND_TIME,
  type BatchParts,
  batch,
  CONTROL,
  GZIP,
  LONG_AGO_MS,
  recordBytes,
  TRANSACTIONAL,
} from "../batches.ts";
import type { Topic, World } from "../world.ts";
import type { Scenario } from "./scenario.ts";

export function produceRequest(
  name: string,
  records: Buffer | null,
  { acks = -1, index = 0, transactionalId = null as string | null } = {},
) {
  const topicData = [{ name, partitionData: [{ index, records }] }];
  return { transactionalId, acks, timeoutMs: 5_000, topicData };
}

/** Everything that is in a partition, by one fetch. */
export async function contents(
  world: World,
  step: string,
  topic: Topic,
  partition = 0,
  isolationLevel = 0,
): Promise<void> {
  const wanted = { partition, fetchOffset: 0, partitionMaxBytes: 1_000_000 };
  const topics = [{ ...topic, partitions: [wanted] }];
  await world.ask(step, "Fetch", { maxWaitMs: 0, minBytes: 0, isolationLevel, topics });
}

async function plain(world: World): Promise<void> {
  const topic = await world.makeTopic("plain");
  const produce = (step: string, records: Buffer | null, how = {}) =>
    world.ask(step, "Produce", produceRequest(topic.name, records, how));
  const one = batch();
  for (const acks of [-1, 1]) await produce(`acks ${acks}`, one, { acks });
  for (const acks of [2, -2, 17]) await produce(`acks ${acks}`, one, { acks });
  const connection = await world.connection();
  connection.send("Produce", world.version("Produce"), produceRequest(topic.name, one, { acks: 0 }));
  await produce("behind one of acks 0, which is not answered", one);
  await produce("three records with keys, headers, times", threeRecords());
  await produce(
    "null, nothing, and records without value",
    batch({ records: [{ key: "k", value: "" }, {}] }),
  );
  await produce("a partition that is not there", one, { index: 7 });
  await produce("a partition below 0", one, { index: -1 });
  for (const name of [world.name("nobody"), "", "a b"]) {
    const said = world.aliases.text(name);
    await world.ask(`the topic "${said}"`, "Produce", produceRequest(name, one));
  }
  await world.ask("no topic at all", "Produce", { acks: 1, timeoutMs: 5_000, topicData: [] });
  await world.ask("no partition at all", "Produce", {
    ...{ acks: 1, timeoutMs: 5_000 },
    topicData: [{ name: topic.name, partitionData: [] }],
  });
  await world.ask("one partition that is there and one that is not", "Produce", {
    ...{ acks: 1, timeoutMs: 5_000 },
    topicData: [
      {
        name: topic.name,
        partitionData: [0, 9].map((index) => ({ index, records: one })),
      },
    ],
  });
  await world.ask("a time of 0 to wait", "Produce", { ...produceRequest(topic.name, one), timeoutMs: 0 });
  await world.ask("a time below 0 to wait", "Produce", { ...produceRequest(topic.name, one), timeoutMs: -1 });
  await contents(world, "what is there now", topic);
}

function threeRecords(): Buffer {
  return batch({
    records: [
      { key: "a", value: "1", headers: [["h", "x"]] },
      { key: "b", value: "2", timestampDelta: 5, headers: [["h", null]] },
      { key: "c", value: "3", timestampDelta: 2 },
    ],
  });
}

const WRONG: readonly (readonly [string, BatchParts])[] = [
  ["a CRC that does not fit", { isDamaged: true }],
  ["magic 0", { magic: 0 }],
  ["magic 1", { magic: 1 }],
  ["magic 3", { magic: 3 }],
  ["magic -1", { magic: -1 }],
  ["a base offset of 7", { baseOffset: 7n }],
  ["a base offset of -1", { baseOffset: -1n }],
  ["a leader epoch of 5", { leaderEpoch: 5 }],
  ["a length one too long", { lengthOffBy: 1 }],
  ["a length one too short", { lengthOffBy: -1 }],
  ["a length of less than a header", { lengthOffBy: -60 }],
  ["a last offset one too high", { lastOffsetDelta: 1 }],
  ["a last offset below 0", { lastOffsetDelta: -1 }],
  ["a count one too high", { count: 2 }],
  ["a count one too high, and the offsets with it", { count: 2, lastOffsetDelta: 1 }],
  ["a count of 0 with a record", { count: 0, lastOffsetDelta: 0 }],
  ["a count of -1", { count: -1, lastOffsetDelta: 0 }],
  ["no records", { records: [], lastOffsetDelta: 0 }],
  ["no records, and a last offset below 0", { records: [] }],
  ["a control batch", { attributes: CONTROL }],
  ["a transactional batch without a transaction", { attributes: TRANSACTIONAL }],
  ["append times", { attributes: APPEND_TIME }],
  ["a codec of number 5", { attributes: 5 }],
  ["a codec of number 7", { attributes: 7 }],
  ["gzip that is none", { attributes: GZIP, section: Buffer.from("not gzip at all") }],
  ["snappy that is none", { attributes: 2, section: Buffer.from("\xff\xff\xff\xff\xff\xff") }],
  ["lz4 that is none", { attributes: 3, section: Buffer.from("not lz4 at all") }],
  ["zstd that is none", { attributes: 4, section: Buffer.from("not zstd at all") }],
  ["a bit that nobody knows", { attributes: 128 }],
  ["a first record with the offset 1", { records: [{ value: "v", offsetDelta: 1 }] }],
  ["records in the wrong order", { records: [{ offsetDelta: 1 }, { offsetDelta: 0 }] }],
  ["a latest time that is none of its own", { maxTimestamp: LONG_AGO_MS + 50 }],
  ["times of -1", { baseTimestamp: -1, maxTimestamp: -1 }],
  ["times of -5", { baseTimestamp: -5, maxTimestamp: -5 }],
  ["a time in a far future", { baseTimestamp: 4_102_444_800_000 }],
  ["an epoch without a producer", { producerEpoch: 3 }],
  ["a sequence without a producer", { baseSequence: 3 }],
  ["a producer without a sequence", { producerId: 900, producerEpoch: 0 }],
  ["a producer without an epoch", { producerId: 901, baseSequence: 0 }],
];

/** Bytes that are no batch, or more than one. */
const ODD: readonly (readonly [string, Buffer | null])[] = [
  ["no bytes instead of a batch", Buffer.alloc(0)],
  ["20 bytes", Buffer.alloc(20)],
  ["half of a batch", batch().subarray(0, 40)],
  ["two batches", Buffer.concat([batch(), batch()])],
  ["a batch with bytes behind it", Buffer.concat([batch(), Buffer.from("abc")])],
];

const RECORD = recordBytes({ value: "v" }, 0);

const SECTIONS: readonly (readonly [string, BatchParts])[] = [
  ["bytes behind the records", { section: Buffer.concat([RECORD, Buffer.of(1, 2)]) }],
  ["a record that is cut off", { section: RECORD.subarray(0, 4) }],
  [
    "a record that is longer than its batch",
    { section: Buffer.concat([Buffer.of(200), RECORD.subarray(1)]) },
  ],
  ["gzip", { attributes: GZIP, section: gzipSync(RECORD) }],
  ["gzip with a wrong count", { attributes: GZIP, section: gzipSync(RECORD), count: 2 }],
  ["gzip, cut off", { attributes: GZIP, section: gzipSync(RECORD).subarray(0, 15) }],
];

/** Each case has a partition of its own, so that what one leaves behind is not seen in the next. */
async function wrong(world: World): Promise<void> {
  const made = [...WRONG, ...SECTIONS].map(([what, parts]) => [what, batch(parts)] as const);
  const cases = [...ODD, ...made];
  const topic = await world.makeTopic("wrong", cases.length);
  for (const [index, [what, records]] of cases.entries()) {
    await world.ask(what, "Produce", produceRequest(topic.name, records, { index }));
  }
  for (const [partition, [what]] of cases.entries()) {
    await contents(world, `what is there after ${what}`, topic, partition);
  }
}

async function settings(world: World): Promise<void> {
  const produce = (step: string, topic: Topic, parts: BatchParts) =>
    world.ask(step, "Produce", produceRequest(topic.name, batch(parts)));
  const compacted = await world.makeTopic("compacted", 1, { "cleanup.policy": "compact" });
  await produce("a compacted topic, with a key", compacted, { records: [{ key: "k", value: "v" }] });
  await produce("a compacted topic, without a key", compacted, { records: [{ value: "v" }] });
  const second = [{ key: "k" }, { value: "v" }];
  await produce("a compacted topic, the second without a key", compacted, { records: second });
  const small = await world.makeTopic("small", 1, { "max.message.bytes": "100" });
  await produce("a batch that is small enough", small, { records: [{ value: "v".repeat(10) }] });
  await produce("a batch that is too large", small, { records: [{ value: "v".repeat(200) }] });
  const appended = await world.makeTopic("appended", 1, { "message.timestamp.type": "LogAppendTime" });
  await produce("times of the append", appended, {});
  await produce("times of the append, said by the client", appended, { attributes: APPEND_TIME });
  await contents(world, "what has times of the append", appended);
  const many = await world.makeTopic("many", 1, { "min.insync.replicas": "2" });
  await produce("acks all with too few replicas", many, {});
  await world.ask("acks 1 with too few replicas", "Produce", produceRequest(many.name, batch(), { acks: 1 }));
}

async function sequences(world: World): Promise<void> {
  const topic = await world.makeTopic("sequences");
  const init = await world.askUntilReady("an id", "InitProducerId", {
    transactionalId: null,
    transactionTimeoutMs: 60_000,
  });
  const producerId = init?.producerId ?? -1;
  world.aliases.name("producer id", producerId, "first");
  const produce = (step: string, baseSequence: number, more: BatchParts = {}) => {
    const parts = { producerId, producerEpoch: 0, baseSequence, ...more };
    return world.ask(step, "Produce", produceRequest(topic.name, batch(parts)));
  };
  const three = { records: [{ value: "1" }, { value: "2" }, { value: "3" }] };
  await produce("sequence 0", 0);
  await produce("sequence 0 again", 0);
  await produce("sequences 1 to 3", 1, three);
  await produce("sequences 1 to 3 again", 1, three);
  const later = three.records.map((each) => ({ ...each, timestampDelta: 7 }));
  await produce("sequences 1 to 3 again, with other times", 1, { records: later });
  const others = [...three.records.slice(1), { value: "4" }];
  await produce("sequences 1 to 3 with other records", 1, { records: others });
  await produce("sequences 2 to 4", 2, three);
  await produce("sequence 1 alone", 1);
  await produce("a gap", 9);
  for (const sequence of [4, 5, 6, 7, 8]) await produce(`sequence ${sequence}`, sequence);
  await produce("the sixth batch from the last again", 1, three);
  await produce("the fifth batch from the last again", 4);
  await produce("a sequence below 0", -1);
  await produce("a sequence of -5", -5);
  await produce("a later epoch with a sequence that is not 0", 5, { producerEpoch: 1 });
  await produce("a later epoch", 0, { producerEpoch: 1 });
  await produce("the older epoch", 9);
  await produce("another later epoch", 0, { producerEpoch: 5 });
  const stranger = { producerId: 987_654, producerEpoch: 0 };
  await produce("an id that nobody was given", 0, stranger);
  await produce("an id that nobody was given, from the middle", 3, { ...stranger, producerId: 987_655 });
  const end = 2_147_483_647;
  const other = { producerId: 987_656, producerEpoch: 0 };
  await produce("sequences that go over the top", end - 1, { ...other, ...three });
  await produce("sequences behind the top", 1, other);
  await world.ask("two batches of a producer in one request", "Produce", {
    ...produceRequest(
      topic.name,
      Buffer.concat([
        batch({ producerId, producerEpoch: 5, baseSequence: 1 }),
        batch({ producerId, producerEpoch: 5, baseSequence: 2 }),
      ]),
    ),
  });
  await world.ask("who has written", "DescribeProducers", {
    topics: [{ name: topic.name, partitionIndexes: [0, 3, -1] }],
  });
  await world.ask("who has written to what is not there", "DescribeProducers", {
    topics: [{ name: world.name("nobody"), partitionIndexes: [0] }],
  });
  await contents(world, "what is there now", topic);
}

export const PRODUCE: readonly Scenario[] = [
  { name: "produce", run: plain },
  { name: "produce what is wrong", run: wrong },
  { name: "produce by settings", run: settings },
  { name: "produce with sequences", run: sequences },
];
