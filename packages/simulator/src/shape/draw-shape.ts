/** Draws what a run is to be: each seed has other brokers, dials, clients and troubles (swarm testing). */
import { ASSIGNORS, type AssignorName } from "@minikafka/core";
import { Chance } from "../chance.ts";
import { drawFocus, FOCUSED, narrowed } from "./focus.ts";
import type { ClientShape, Focus, Shape, TopicShape } from "./shape.ts";

const POWER_CUTS = ["lost", "torn", "scattered"] as const;
const UNCLEAN_PERCENT: Partial<Record<Focus, number>> = { transactions: 50, remains: 100 };

export function drawShape(seed: number): Shape {
  const chance = Chance.of(seed, "shape");
  const brokers = chance.weighted({ 1: 25, 2: 25, 3: 50 });
  const focus = drawFocus(seed, chance);
  const count = focus === "remains" ? 3 : Number(brokers);
  const topics = drawTopics(chance, count, focus);
  const laterTopics = drawLaterTopics(chance, count);
  const allowsUnclean = chance.percent(UNCLEAN_PERCENT[focus] ?? 8);
  const flush = chance.weighted({ ack: 85, interval: 8, os: 7 });
  const shape: Shape = {
    brokers: count,
    config: {
      flush,
      segmentBytes: 1024 + (focus === "storage" ? 0 : chance.below(2500)),
      indexIntervalBytes: 1 + chance.below(1000),
      replicaFetchMaxBytes: 1 + chance.below(1000),
      replicaLagTimeMs: 50 + chance.below(200),
      offsetsTopicPartitions: 1 + chance.below(2),
      transactionsTopicPartitions: 1 + chance.below(2),
      ...(chance.percent(10) ? { rebalance: "immediate" } : {}),
      ...(chance.percent(20) ? { openFilesMax: 10 + chance.below(20) } : {}),
      ...(chance.percent(20) ? { compactionBufferBytes: 1024 } : {}),
      ...(chance.percent(20) ? { reserveBytes: 4096 } : {}),
    },
    topics,
    laterTopics,
    allowsUnclean,
    clients: drawClients(chance, [...topics, ...laterTopics]),
    network: {
      delayMsMax: chance.oneOf([0, 2, 5, 20]),
      lossPermille: chance.oneOf([0, 0, 5, 20]),
    },
    // Without a wait for the disk a power cut may take what was acknowledged.
    fates: flush === "ack" ? ["kept", ...POWER_CUTS] : ["kept"],
    focus,
    weights: { ...drawWeights(chance), ...FOCUSED[focus], left_behind: allowsUnclean ? 12 : 0 },
    replicateEveryMs: chance.oneOf([null, null, 5, 20]),
    acts: 200,
  };
  return focus === "remains" ? narrowed(shape) : shape;
}

function drawTopics(chance: Chance, brokers: number, focus: Focus): TopicShape[] {
  const replicationFactor = chance.percent(75) ? brokers : 1 + chance.below(brokers);
  const min_insync_replicas = 1 + chance.below(Math.min(2, replicationFactor));
  // One transaction is to meet what another has left.
  const partitions = () => (focus === "transactions" || focus === "remains" ? 1 : 1 + chance.below(3));
  const lasting = {
    topic: "orders",
    partitions: partitions(),
    replicationFactor,
    config: { min_insync_replicas },
  };
  const compacted = {
    topic: "latest",
    partitions: partitions(),
    replicationFactor,
    config: {
      min_insync_replicas,
      cleanup_policy: "compact",
      min_cleanable_dirty_ratio: 0,
      delete_retention_ms: 20 + chance.below(200),
    },
  };
  const passing = {
    topic: "passing",
    partitions: partitions(),
    replicationFactor,
    config: {
      min_insync_replicas,
      retention_ms: chance.percent(50) ? 30 + chance.below(150) : -1,
      retention_bytes: chance.percent(50) ? chance.below(2000) : -1,
      ...(chance.percent(30) ? { cleanup_policy: "compact,delete", min_cleanable_dirty_ratio: 0 } : {}),
    },
  };
  const copies = { ...lasting, topic: "copies", partitions: partitions() };
  return [
    lasting,
    copies,
    ...(chance.percent(60) || focus === "upkeep" ? [compacted] : []),
    ...(chance.percent(50) ? [passing] : []),
  ];
}

function drawClients(chance: Chance, topics: readonly TopicShape[]): ClientShape[] {
  return [
    ...many(1 + chance.below(3), (index) => ({
      kind: "producer" as const,
      name: `p${index}`,
      isIdempotent: chance.percent(60),
      namesEpoch: chance.percent(50),
      valueBytes: chance.oneOf([4, 20, 100]),
    })),
    ...many(chance.below(3), (index) => ({
      kind: "writer" as const,
      name: `w${index}`,
      // Two of one id fence each other.
      ...transactional(chance, chance.percent(75) ? `w${index}` : "w0"),
    })),
    ...drawConsumers(chance, topics),
    ...drawCopiers(chance),
    { kind: "reader", name: "r0", isolation: "read_uncommitted" },
    { kind: "reader", name: "r1", isolation: "read_committed" },
  ];
}

function drawConsumers(chance: Chance, topics: readonly TopicShape[]): ClientShape[] {
  const assignor = chance.oneOf(ASSIGNORS);
  return many(chance.below(4), (index) => ({
    kind: "consumer" as const,
    name: `c${index}`,
    isolation: chance.oneOf(["read_committed", "read_uncommitted"] as const),
    membership: {
      groupId: "readers",
      topics: topics.map(({ topic }) => topic).filter((topic) => topic === "orders" || chance.percent(50)),
      ...member(chance, assignor),
    },
  }));
}

function drawCopiers(chance: Chance): ClientShape[] {
  const assignor = chance.oneOf(ASSIGNORS);
  return many(chance.below(3), (index) => ({
    kind: "copier" as const,
    name: `x${index}`,
    membership: { groupId: "copiers", topics: ["orders"], ...member(chance, assignor) },
    transactions: transactional(chance, `x${index}`),
    output: "copies",
  }));
}

function many(count: number, make: (index: number) => ClientShape): ClientShape[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function member(chance: Chance, assignor: AssignorName) {
  const sessionTimeoutMs = 100 + chance.below(400);
  return { assignor, sessionTimeoutMs, rebalanceTimeoutMs: sessionTimeoutMs + chance.below(400) };
}

function transactional(chance: Chance, transactionalId: string) {
  return { transactionalId, timeoutMs: 150 + chance.below(500), valueBytes: chance.oneOf([4, 20, 100]) };
}

function drawLaterTopics(chance: Chance, brokers: number): TopicShape[] {
  const config = { min_insync_replicas: 1 };
  const replicationFactor = 1 + chance.below(brokers);
  return chance.oneOf([[], ["brief"], ["brief", "short"]]).map((topic) => ({
    topic,
    partitions: 1 + chance.below(2),
    replicationFactor,
    config,
  }));
}

/** Calm ones and wild ones. */
function drawWeights(chance: Chance): Shape["weights"] {
  const some = (most: number) => (chance.percent(70) ? chance.below(most + 1) : 0);
  return {
    send: 20 + chance.below(40),
    read: 10 + chance.below(20),
    transact: 10 + chance.below(20),
    consume: 10 + chance.below(20),
    copy: 10 + chance.below(20),
    vanish: some(4),
    outsider: some(2),
    cut: some(3),
    stall: some(3),
    replicate: 10 + chance.below(25),
    refresh_isr: 2 + some(5),
    flush: some(4),
    retention: some(4),
    compact: some(6),
    expire_producers: some(1),
    expire_members: 2 + some(5),
    expire_offsets: some(1),
    expire_transactions: 2 + some(5),
    abort_transaction: some(2),
    roll: some(4),
    promote: some(6),
    remove_from_isr: some(3),
    rejoin: 2 + some(4),
    delete_records: some(2),
    stop_broker: some(3),
    start_broker: 1 + some(3),
    swap_folder: some(4),
    create_topic: some(4),
    delete_topic: some(1),
    grow: some(1),
    alter: some(2),
    crash: some(4),
    crash_at: some(3),
    fail_at: some(3),
    delay_at: some(2),
    hold_at: some(2),
    restart: some(2),
    hold_syncs: some(4),
    slow_syncs: some(3),
    upon: some(16),
    late_marker: some(4),
    disk_error: some(2),
    clock_jump: some(1),
  };
}
