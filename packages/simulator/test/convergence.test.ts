/** How a run ends, once its faults are over. */
import { expect, test } from "vitest";
import { judged, runOf } from "../src/run/campaign.ts";
import type { Entry } from "../src/script/entry.ts";
import type { ClientShape, Shape } from "../src/shape/shape.ts";

const MEMBERSHIP = {
  groupId: "readers",
  topics: ["orders"],
  assignor: "sticky",
  rebalanceTimeoutMs: 1000,
} as const;

function consumer(name: string, sessionTimeoutMs: number): ClientShape {
  const membership = { ...MEMBERSHIP, sessionTimeoutMs };
  return { kind: "consumer", name, isolation: "read_committed", membership };
}

const SHAPE: Omit<Shape, "clients"> = {
  brokers: 2,
  config: { offsetsTopicPartitions: 1 },
  topics: [{ topic: "orders", partitions: 1, replicationFactor: 2, config: {} }],
  laterTopics: [],
  allowsUnclean: false,
  network: { delayMsMax: 0, lossPermille: 0 },
  fates: ["kept"],
  focus: "everything",
  weights: {},
  replicateEveryMs: 5,
  acts: 0,
};

test("a member whose session ends while all is read, or just before the verdict, leaves nothing that has not come together", async () => {
  const consume = { kind: "consume", commits: false, next: "stay", bytesMax: 1000, luck: 1 } as const;
  const script: Entry[] = [
    { ...consume, atMs: 1, client: "stays" },
    { ...consume, atMs: 40, client: "goes" },
    { kind: "vanish", client: "goes", atMs: 80, luck: 1 },
  ];
  for (let sessionTimeoutMs = 10; sessionTimeoutMs <= 160; sessionTimeoutMs += 5) {
    const clients = [consumer("stays", 5000), consumer("goes", sessionTimeoutMs)];
    const { violation, world } = await judged({ seed: 1, shape: { ...SHAPE, clients }, script });
    expect(violation, `a session of ${sessionTimeoutMs} ms`).toBeNull();
    expect(world.witness.counts.get("generation_started")).toBeGreaterThanOrEqual(2);
  }
}, 60_000);

test("a join that arrives when its client has given it up makes a member, and the run waits until its group has settled", async () => {
  const topics = [{ topic: "orders", partitions: 2, replicationFactor: 2, config: {} }];
  const clients = [consumer("one", 185), consumer("late", 185)];
  // Clients wait half a second.
  const script = [{ kind: "stall", client: "late", forMs: 560, atMs: 10, luck: 1 }] as const;
  const { violation, world } = await judged({ seed: 1, shape: { ...SHAPE, topics, clients }, script });
  expect(violation).toBeNull();
  const given = world.recorder.operations.find(({ kind, client }) => kind === "join" && client === "late");
  expect(given?.ended).toMatchObject({ outcome: "unknown", code: "CONNECTION_LOST" });
  const { lateUntilMs } = world.network;
  expect(lateUntilMs).toBeGreaterThan(given?.ended?.atMs ?? lateUntilMs);
  expect(world.timeline.nowMs).toBeGreaterThan(lateUntilMs);
  expect(world.witness.counts.get("member_joined")).toBe(2);
});

test("what a stalled connection holds back is answered before the run is over: a sign of life, and a producer's new epoch", async () => {
  const beat: Entry = {
    ...{ kind: "consume", client: "c", commits: false, next: "stay", bytesMax: 1000 },
    ...{ atMs: 1, luck: 1 },
  };
  for (let sessionTimeoutMs = 40; sessionTimeoutMs <= 1200; sessionTimeoutMs += 80) {
    const clients = [consumer("c", sessionTimeoutMs)];
    const stall = { kind: "stall", client: "c", forMs: 400, atMs: 20, luck: 1 } as const;
    const { violation, world } = await judged({
      seed: 1,
      shape: { ...SHAPE, clients },
      script: [beat, stall],
    });
    expect(violation, `a session of ${sessionTimeoutMs} ms`).toBeNull();
    expect(world.timeline.nowMs).toBeGreaterThan(420);
  }
  const clients: ClientShape[] = [
    { kind: "producer", name: "p", isIdempotent: true, namesEpoch: false, valueBytes: 4 },
    { kind: "reader", name: "r", isolation: "read_uncommitted" },
  ];
  const place = { topic: "orders", partition: 0 };
  const send = { kind: "send", client: "p", ...place, keys: [null], isTombstone: false, acks: 1 } as const;
  const script: Entry[] = [
    { ...send, atMs: 1, luck: 1 },
    { kind: "stall", client: "p", forMs: 300, atMs: 20, luck: 1 },
    { ...send, atMs: 30, luck: 1 },
    // After six attempts it gives its batch up, and asks for a new epoch.
    ...[40, 60, 85, 110, 140, 170].map(
      (atMs): Entry => ({ kind: "crash", fate: "kept", downMs: 2, atMs, luck: 1 }),
    ),
  ];
  const { violation, world } = await judged({ seed: 1, shape: { ...SHAPE, clients }, script });
  expect(violation).toBeNull();
  const inits = world.recorder.operations.filter(({ kind }) => kind === "init_producer");
  expect(inits.map(({ ended }) => ended?.outcome)).toEqual(["ok", "ok"]);
}, 60_000);

test("a topic that is still being made when the faults end has its owners in the end", async () => {
  const laterTopics = [{ topic: "brief", partitions: 1, replicationFactor: 2, config: {} }];
  const membership = { ...MEMBERSHIP, topics: ["orders", "brief"], sessionTimeoutMs: 5000 };
  const clients: ClientShape[] = [{ kind: "consumer", name: "c", isolation: "read_committed", membership }];
  for (let delayMs = 5; delayMs <= 60; delayMs += 5) {
    const script: Entry[] = [
      { kind: "consume", client: "c", commits: false, next: "stay", bytesMax: 1000, atMs: 1, luck: 1 },
      { kind: "slow_syncs", forMs: 300, delayMs, atMs: 40, luck: 1 },
      { kind: "create_topic", topic: "brief", atMs: 41, luck: 1 },
    ];
    const { violation, world } = await judged({ seed: 1, shape: { ...SHAPE, laterTopics, clients }, script });
    expect(violation, `syncs of ${delayMs} ms`).toBeNull();
    expect(world.witness.counts.get("topic_created")).toBeGreaterThanOrEqual(2);
  }
}, 60_000);

test.each([
  ["a join that the broker is still at when its client has given it up is waited for", 604168],
  ["a partition whose last replica in sync came back with less is led again by an operator's choice", 605040],
  ["offsets whose topic was made while a sync failed for another topic are there after a power cut", 650571],
  ["a copy that ends where its leader's log starts, inside of a batch, begins anew with that batch", 672351],
  ["a client that vanished while it heard that nobody serves asks for nothing more", 664402],
  ["who is put out of sync by a change of the metadata that a power cut takes back may lead again", 662197],
  ["what is acknowledged just before its leader stops was acknowledged by enough", 680750],
])("%s: seed %i", async (_, seed) => {
  const { violation } = await judged(runOf(seed));
  expect(violation).toBeNull();
});
