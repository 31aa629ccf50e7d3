/** Fetch, ListOffsets, OffsetForLeaderEpoch, DeleteRecords: what is read of a log, and where it begins and ends. */
import { batch, LONG_AGO_MS } from "../batches.ts";
import type { Topic, World } from "../world.ts";
import { produceRequest } from "./produce.ts";
import type { Scenario } from "./scenario.ts";

const UNKNOWN_ID = "11111111-1111-1111-1111-111111111111";

/** A topic of three batches: offsets 0, 1-3 and 4, with times that rise and fall. */
async function threeBatches(world: World, base: string, partitions = 1): Promise<Topic> {
  const topic = await world.makeTopic(base, partitions);
  const batches = [
    batch({ records: [{ value: "0" }] }),
    batch({
      baseTimestamp: LONG_AGO_MS + 100,
      records: [{ value: "1" }, { value: "2", timestampDelta: 200 }, { value: "3", timestampDelta: 50 }],
    }),
    batch({ baseTimestamp: LONG_AGO_MS + 200, records: [{ value: "4" }] }),
  ];
  for (const each of batches) await world.quietly("Produce", produceRequest(topic.name, each));
  return topic;
}

const PLACES: readonly (readonly [string, object])[] = [
  ["from the start", {}],
  ["from within a batch", { fetchOffset: 2 }],
  ["from the end", { fetchOffset: 5 }],
  ["from behind the end", { fetchOffset: 6 }],
  ["from below 0", { fetchOffset: -1 }],
  ["a partition that is not there", { partition: 3 }],
  ["a partition below 0", { partition: -1 }],
  ["one byte", { partitionMaxBytes: 1 }],
  ["no byte", { partitionMaxBytes: 0 }],
  ["less than a byte", { partitionMaxBytes: -1 }],
  ["an epoch that is known", { currentLeaderEpoch: 0 }],
  ["an epoch that is to come", { currentLeaderEpoch: 4 }],
  ["the epoch of the last record", { fetchOffset: 5, lastFetchedEpoch: 0 }],
  ["the epoch of a record behind the end", { fetchOffset: 9, lastFetchedEpoch: 0 }],
  ["an epoch of the last record that is to come", { fetchOffset: 5, lastFetchedEpoch: 3 }],
];

async function fetches(world: World): Promise<void> {
  const topic = await threeBatches(world, "fetched");
  const fetch = (step: string, partition: object, more: object = {}, of: Partial<Topic> = topic) => {
    const wanted = { partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000_000, ...partition };
    const topics = [{ ...of, partitions: [wanted] }];
    return world.ask(step, "Fetch", { maxWaitMs: 0, minBytes: 0, topics, ...more });
  };
  for (const [what, partition] of PLACES) await fetch(what, partition);
  const wholes: readonly (readonly [string, object])[] = [
    ["one byte of all", { maxBytes: 1 }],
    ["no byte of all", { maxBytes: 0 }],
    ["committed records", { isolationLevel: 1 }],
    ["an isolation that nobody knows", { isolationLevel: 9 }],
    ["a replica that is none", { replicaId: 5, replicaState: { replicaId: 5, replicaEpoch: 1 } }],
    ["a session that begins", { sessionEpoch: 0 }],
    ["a session that nobody began", { sessionId: 77, sessionEpoch: 3 }],
    ["a session that ends", { sessionId: 77, sessionEpoch: -1 }],
    ["a session with an epoch below -1", { sessionEpoch: -7 }],
    ["a rack", { rackId: "a" }],
  ];
  for (const [what, more] of wholes) await fetch(what, {}, more);
  const nobody = { topic: world.name("nobody"), topicId: UNKNOWN_ID };
  await fetch("a topic that is not there", {}, {}, nobody);
  await fetch("a topic without name and id", {}, {}, {});
  await world.ask("no topic", "Fetch", { maxWaitMs: 0, minBytes: 0, topics: [] });
  await world.ask("no partition", "Fetch", {
    maxWaitMs: 0,
    minBytes: 0,
    topics: [{ ...topic, partitions: [] }],
  });
  await world.ask("a partition twice", "Fetch", {
    ...{ maxWaitMs: 0, minBytes: 0 },
    topics: [
      {
        ...topic,
        partitions: [1, 4].map((fetchOffset) => ({ partition: 0, fetchOffset, partitionMaxBytes: 9_999 })),
      },
    ],
  });
  await fetch("a wait for what does not come", { fetchOffset: 5 }, { maxWaitMs: 100, minBytes: 1 });
  await fetch("a wait with an error in it", { fetchOffset: 99 }, { maxWaitMs: 60_000, minBytes: 1 });
  const waiting = fetch("a wait for what comes", { fetchOffset: 5 }, { maxWaitMs: 4_000, minBytes: 1 });
  await world.quietly("Produce", produceRequest(topic.name, batch({ records: [{ value: "5" }] })), "second");
  await waiting;
}

async function offsets(world: World): Promise<void> {
  const topic = await threeBatches(world, "listed", 2);
  const list = (step: string, partition: object, more: object = {}, name = topic.name) =>
    world.ask(step, "ListOffsets", {
      topics: [{ name, partitions: [{ partitionIndex: 0, timestamp: -1, ...partition }] }],
      ...more,
    });
  const times = [0, LONG_AGO_MS, LONG_AGO_MS + 1, LONG_AGO_MS + 150, LONG_AGO_MS + 250, LONG_AGO_MS + 300];
  for (const [place, timestamp] of [...times, LONG_AGO_MS + 301].entries()) {
    await list(`the time ${place}: ${timestamp}`, { timestamp });
  }
  for (const timestamp of [-1, -2, -3, -4, -5, -6, -9]) {
    await list(`the time ${timestamp}`, { timestamp });
    await list(`the time ${timestamp} in an empty log`, { timestamp, partitionIndex: 1 });
  }
  await list("a time in an empty log", { timestamp: 5, partitionIndex: 1 });
  await list("a partition that is not there", { partitionIndex: 5 });
  await list("a partition below 0", { partitionIndex: -1 });
  await list("a topic that is not there", {}, {}, world.name("nobody"));
  await list("a topic without a name", {}, {}, "");
  await list("an epoch that is known", { currentLeaderEpoch: 0 });
  await list("an epoch that is to come", { currentLeaderEpoch: 3 });
  await list("committed records", {}, { isolationLevel: 1 });
  await list("an isolation that nobody knows", {}, { isolationLevel: 9 });
  await list("who only looks", {}, { replicaId: -2 });
  await list("a replica that is none", {}, { replicaId: 5 });
  await world.ask("a partition twice", "ListOffsets", {
    topics: [
      { name: topic.name, partitions: [-1, -2].map((timestamp) => ({ partitionIndex: 0, timestamp })) },
    ],
  });
  await world.ask("no topic", "ListOffsets", { topics: [] });
}

async function epochs(world: World): Promise<void> {
  const topic = await threeBatches(world, "epochs", 2);
  const ask = (step: string, partition: object, name = topic.name) =>
    world.ask(step, "OffsetForLeaderEpoch", {
      replicaId: -1,
      topics: [{ topic: name, partitions: [{ partition: 0, leaderEpoch: 0, ...partition }] }],
    });
  await ask("the first epoch", {});
  await ask("the first epoch of an empty log", { partition: 1 });
  await ask("an epoch that is to come", { leaderEpoch: 7 });
  await ask("no epoch", { leaderEpoch: -1 });
  await ask("with the current epoch", { currentLeaderEpoch: 0 });
  await ask("with an epoch that is to come", { currentLeaderEpoch: 4 });
  await ask("a partition that is not there", { partition: 9 });
  await ask("a topic that is not there", {}, world.name("nobody"));
  await world.ask("no topic", "OffsetForLeaderEpoch", { replicaId: -1, topics: [] });
}

async function deletions(world: World): Promise<void> {
  const topic = await threeBatches(world, "trimmed", 2);
  const remove = (step: string, partition: object, name = topic.name) =>
    world.ask(step, "DeleteRecords", {
      topics: [{ name, partitions: [{ partitionIndex: 0, offset: 2, ...partition }] }],
      timeoutMs: 5_000,
    });
  await remove("up to within a batch", {});
  await remove("up to what is gone already", { offset: 1 });
  await remove("up to 0", { offset: 0 });
  await remove("behind the end", { offset: 6 });
  await remove("below -1", { offset: -2 });
  await remove("a partition that is not there", { partitionIndex: 5 });
  await remove("a topic that is not there", {}, world.name("nobody"));
  await remove("an empty log", { partitionIndex: 1, offset: -1 });
  await world.ask("a partition twice", "DeleteRecords", {
    topics: [{ name: topic.name, partitions: [3, 4].map((offset) => ({ partitionIndex: 0, offset })) }],
    timeoutMs: 5_000,
  });
  const wanted = (fetchOffset: number) => ({
    ...{ maxWaitMs: 0, minBytes: 0 },
    topics: [{ ...topic, partitions: [{ partition: 0, fetchOffset, partitionMaxBytes: 9_999 }] }],
  });
  await world.ask("a fetch of what is gone", "Fetch", wanted(0));
  await world.ask("a fetch of what stays", "Fetch", wanted(4));
  await world.ask("where it begins", "ListOffsets", {
    topics: [{ name: topic.name, partitions: [{ partitionIndex: 0, timestamp: -2 }] }],
  });
  await remove("all", { offset: -1 });
  await world.ask("a fetch from the end", "Fetch", wanted(5));
  const compacted = await world.makeTopic("trimmed-compacted", 1, { "cleanup.policy": "compact" });
  await remove("a compacted topic", { offset: 0 }, compacted.name);
  await world.ask("no topic", "DeleteRecords", { topics: [], timeoutMs: 5_000 });
}

export const FETCH: readonly Scenario[] = [
  { name: "fetch", run: fetches },
  { name: "list offsets", run: offsets },
  { name: "epochs", run: epochs },
  { name: "delete records", run: deletions },
];
