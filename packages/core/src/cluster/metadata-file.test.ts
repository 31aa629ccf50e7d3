import { expect, test } from "vitest";
import { worldOn } from "../../test/world.ts";
import { MemoryDisk } from "../env/memory-disk.ts";
import { sealEnvelope } from "../log/checkpoint-envelope.ts";
import { type ClusterMetadata, openMetadataFile } from "./metadata-file.ts";
import type { Topic } from "./topics.ts";

const ID = "0b9ab2c4-6d2f-4c0c-9f5e-3a1b2c3d4e5f";

function topic(name: string): Topic {
  const assignment = { replicas: [1], leaderId: 1, leaderEpoch: 3 };
  return { topic: name, topicId: ID, config: { segment_bytes: 4096 }, partitions: [assignment, assignment] };
}

/** The file's JSON, as a person or a hostile program might write it, under a right CRC. */
function reading(payload: unknown): () => ClusterMetadata | null {
  const disk = new MemoryDisk();
  const file = disk.openFile("/metadata.json", { create: "exclusive" });
  file.writeAt(0, sealEnvelope(1, payload));
  file.close();
  return () => openMetadataFile("/", worldOn(disk)).read();
}

const ASSIGNMENT = { replicas: [1], leader_id: 1, leader_epoch: 0 };
const ORDERS = { topic: "orders", topic_id: ID, config: {}, partitions: [ASSIGNMENT] };

test("what is written is read again", () => {
  const env = worldOn(new MemoryDisk());
  const metadata = { topics: [topic("orders"), topic("payments")], deletions: [topic("gone")] };
  openMetadataFile("/", env).replace(metadata);
  expect(openMetadataFile("/", env).read()).toEqual(metadata);
});

test("the file's names are those of the wire", () => {
  expect(reading({ topics: [ORDERS], deletions: [] })()).toEqual({
    topics: [
      {
        topic: "orders",
        topicId: ID,
        config: {},
        partitions: [{ replicas: [1], leaderId: 1, leaderEpoch: 0 }],
      },
    ],
    deletions: [],
  });
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
  [
    "two replicas",
    partition({ replicas: [1, 2] }),
    "orders has replicas 1, 2 led by 1, expected its leader alone",
  ],
  ["a leader that holds no copy", partition({ leader_id: 2 }), "orders has replicas 1 led by 2"],
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
