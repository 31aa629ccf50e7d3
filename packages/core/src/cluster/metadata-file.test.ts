import { expect, test } from "vitest";
import { worldOn } from "../../test/world.ts";
import { MemoryDisk } from "../env/memory-disk.ts";
import { sealEnvelope } from "../log/files/checkpoint-envelope.ts";
import { type ClusterMetadata, openMetadataFile } from "./metadata-file.ts";
import type { Topic } from "./topics.ts";

const ID = "0b9ab2c4-6d2f-4c0c-9f5e-3a1b2c3d4e5f";

function topic(name: string): Topic {
  const assignment = {
    replicas: [1, 2, 3],
    leaderId: 2,
    leaderEpoch: 3,
    leaderEpochStartOffset: 70,
    inSyncReplicas: [2, 3],
  };
  const leaderless = { ...assignment, leaderId: null, inSyncReplicas: [] };
  return { topic: name, topicId: ID, config: { segment_bytes: 4096 }, partitions: [assignment, leaderless] };
}

/** The file's JSON, as a person or a hostile program might write it, under a right CRC. */
function reading(payload: unknown, version = 2): () => ClusterMetadata | null {
  const disk = new MemoryDisk();
  const file = disk.openFile("/metadata.json", { create: "exclusive" });
  file.writeAt(0, sealEnvelope(version, payload));
  file.close();
  return () => openMetadataFile("/", worldOn(disk)).read();
}

const ASSIGNMENT = {
  replicas: [1, 2],
  leader_id: 1,
  leader_epoch: 0,
  leader_epoch_start_offset: 0,
  isr: [1, 2],
};
const ORDERS = { topic: "orders", topic_id: ID, config: {}, partitions: [ASSIGNMENT] };

test("what is written is read again", () => {
  const env = worldOn(new MemoryDisk());
  const metadata = { topics: [topic("orders"), topic("payments")], deletions: [topic("gone")] };
  openMetadataFile("/", env).replace(metadata);
  expect(openMetadataFile("/", env).read()).toEqual(metadata);
});

test("so are the epochs of brokers and what was deleted, which older files leave out", () => {
  const env = worldOn(new MemoryDisk());
  const orders = topic("orders");
  const partitions = orders.partitions.map((each) => ({ ...each, deletedBefore: 7 }));
  const brokerEpochs = new Map([
    [1, 1_700_000_000_000],
    [2, 5],
  ]);
  const metadata = { topics: [{ ...orders, partitions }], deletions: [], brokerEpochs };
  openMetadataFile("/", env).replace(metadata);
  expect(openMetadataFile("/", env).read()).toEqual(metadata);
  const spoilt = (epoch: object) => ({ topics: [], deletions: [], broker_epochs: [epoch] });
  expect(reading(spoilt({ broker_id: 1, broker_epoch: -1 }))).toThrow("broker_epoch is -1");
  expect(reading(spoilt({ broker_id: -1, broker_epoch: 1 }))).toThrow("broker_id is -1");
  expect(
    reading({ topics: [{ ...ORDERS, partitions: [{ ...ASSIGNMENT, deleted_before: -1 }] }], deletions: [] }),
  ).toThrow("deleted_before of orders is -1");
});

test("the file's names are those of the wire", () => {
  expect(reading({ topics: [ORDERS], deletions: [] })()).toEqual({
    topics: [
      {
        topic: "orders",
        topicId: ID,
        config: {},
        partitions: [
          {
            replicas: [1, 2],
            leaderId: 1,
            leaderEpoch: 0,
            leaderEpochStartOffset: 0,
            inSyncReplicas: [1, 2],
          },
        ],
      },
    ],
    deletions: [],
  });
});

test("a file of version 1 is read: its partitions have their leader alone, in sync with itself", () => {
  const old = { ...ORDERS, partitions: [{ replicas: [4], leader_id: 4, leader_epoch: 0 }] };
  const read = reading({ topics: [old], deletions: [] }, 1)();
  expect(read?.topics[0]?.partitions).toEqual([
    { replicas: [4], leaderId: 4, leaderEpoch: 0, leaderEpochStartOffset: 0, inSyncReplicas: [4] },
  ]);
  const two = { ...ORDERS, partitions: [{ replicas: [1, 2], leader_id: 1, leader_epoch: 0 }] };
  expect(reading({ topics: [two], deletions: [] }, 1)).toThrow("replicas 1, 2 are led by 1");
});

test.each<[string, unknown, string]>([
  ["a list", [], "the metadata is a list, expected an object"],
  ["nothing", {}, "topics is undefined, expected a list"],
  ["no deletions", { topics: [] }, "deletions is undefined, expected a list"],
  [
    "a topic that leads out of the folder",
    topics({ topic: "../../etc" }),
    '"../../etc" has "/" at position 2',
  ],
  ["a topic called ..", topics({ topic: ".." }), 'a topic cannot be called ".."'],
  [
    "a deletion that leads out",
    { topics: [], deletions: [{ ...ORDERS, topic: "/" }] },
    '"/" has "/" at position 0',
  ],
  ["a name that is a number", topics({ topic: 7 }), "a topic's name is 7, expected text"],
  ["an id that is none", topics({ topic_id: "x" }), "topic_id of orders is string, expected a UUID"],
  ["no partitions", topics({ partitions: [] }), "the number of partitions of orders is 0"],
  ["an unknown setting", topics({ config: { flush_ms: 1 } }), 'there is no setting "flush_ms"'],
  [
    "a setting that is a list",
    topics({ config: { segment_bytes: [] } }),
    '"segment_bytes" of orders is a list',
  ],
  ["a negative epoch", partition({ leader_epoch: -1 }), "leader_epoch of orders is -1"],
  ["a broker id that is text", partition({ leader_id: "1" }), "leader_id of orders is string"],
  ["no leader at all", partition({ leader_id: undefined }), "leader_id of orders is undefined"],
  ["no replicas", partition({ replicas: [], isr: [] }), "of a partition of orders, there are no replicas"],
  ["a replica twice", partition({ replicas: [1, 1] }), "replicas 1, 1 name one twice"],
  [
    "a stranger in sync",
    partition({ isr: [1, 9] }),
    "in sync are 1, 9, expected some of the replicas 1, 2, in their order",
  ],
  [
    "a leader that is not in sync",
    partition({ isr: [2] }),
    "the leader 1 is not among the in-sync replicas 2",
  ],
  [
    "one held out that is in sync",
    partition({ held_out: [2] }),
    "held out are 2, expected some of the replicas 1, 2 that are not in sync",
  ],
  [
    "a stranger to be copied",
    partition({ isr: [1], copy_anew: [9] }),
    "to be copied anew are 9, expected some of the",
  ],
  ["a stranger held out", partition({ isr: [1], held_out: [9] }), "held out are 9, expected some of the"],
  [
    "a leader that holds no copy",
    partition({ leader_id: 3 }),
    "the leader 3 is not among the in-sync replicas 1, 2",
  ],
  [
    "a topic twice",
    { topics: [ORDERS, ORDERS], deletions: [] },
    'it names "orders" beside "orders", which collide',
  ],
  [
    "a topic that is also a deletion",
    { topics: [ORDERS], deletions: [{ ...ORDERS, topic: "ORDERS" }] },
    'it names "ORDERS" beside "orders", which collide',
  ],
])("a file with %s is refused, though its CRC is right", (_what, payload, message) => {
  expect(reading(payload)).toThrow(
    expect.objectContaining({ code: "STORAGE_ERROR", message: expect.stringContaining(message) }),
  );
});

function topics(change: object): unknown {
  return { topics: [{ ...ORDERS, ...change }], deletions: [] };
}

function partition(change: object): unknown {
  return topics({ partitions: [{ ...ASSIGNMENT, ...change }] });
}
