/** Draws the script of a run from its seed and shape. */
import { FAULT_POINTS, waitsAt } from "@minikafka/core";
import { Chance } from "../chance.ts";
import type { Shape, TopicShape } from "../shape/shape.ts";
import { absence, occasion, soonAfter } from "./draw-occasion.ts";
import type { Act, ActKind, Entry } from "./entry.ts";

const INTERNAL = ["__consumer_offsets", "__transaction_state"];
const WAITING_POINTS = FAULT_POINTS.filter(waitsAt);
const KEYS = ["k0", "k1", "k2", "k3", "k4"];

export function drawScript(seed: number, shape: Shape): Entry[] {
  const chance = Chance.of(seed, "script");
  const entries: Entry[] = [];
  let atMs = 0;
  while (entries.length < shape.acts) {
    // Some come at one instant, and now and then nothing happens for long.
    atMs += chance.percent(30) ? 0 : chance.percent(3) ? chance.below(300) : chance.below(12);
    const act = drawAct(chance, shape);
    if (act !== null) entries.push({ atMs, luck: chance.nextUint32(), ...act });
  }
  return entries;
}

type Draw = (chance: Chance, shape: Shape) => Act | null;

const DRAWS: { readonly [Kind in ActKind]: Draw } = {
  send: (chance, shape) => {
    const client = oneOfKind(chance, shape, "producer");
    if (client === null) return null;
    const { topic, config } = chance.oneOf(topicsOf(shape));
    const isCompacted = String(config.cleanup_policy ?? "").includes("compact");
    const key = () => (isCompacted || chance.percent(50) ? chance.oneOf(KEYS) : null);
    const keys = Array.from({ length: chance.percent(70) ? 1 : 1 + chance.below(4) }, key);
    const isTombstone = isCompacted && chance.percent(20);
    const acks = chance.oneOf(["all", "all", "all", 1, 1, 0] as const);
    return { kind: "send", client, ...place(chance, topic), keys, isTombstone, acks };
  },
  read: (chance, shape) => {
    const client = oneOfKind(chance, shape, "reader");
    if (client === null) return null;
    return { kind: "read", client, ...place(chance, chance.oneOf(topicsOf(shape)).topic) };
  },
  transact: (chance, shape) => {
    const client = oneOfKind(chance, shape, "writer");
    if (client === null) return null;
    const sends = Array.from({ length: 1 + chance.below(4) }, () => {
      const { topic } = chance.oneOf(topicsOf(shape));
      const keys = Array.from({ length: 1 + chance.below(2) }, () => chance.oneOf(KEYS));
      return { ...place(chance, topic), keys };
    });
    return { kind: "transact", client, sends, ...ending(chance, shape), ...carelessness(chance, shape) };
  },
  consume: (chance, shape) => {
    const client = oneOfKind(chance, shape, "consumer");
    if (client === null) return null;
    const next = chance.percent(5) ? "leave" : "stay";
    return { kind: "consume", client, commits: chance.percent(75), next, bytesMax: bytesMax(chance) };
  },
  copy: (chance, shape) => {
    const client = oneOfKind(chance, shape, "copier");
    if (client === null) return null;
    return { kind: "copy", client, bytesMax: bytesMax(chance), ...ending(chance, shape) };
  },
  outsider: (chance, shape) => {
    const client = oneOfKind(chance, shape, "reader");
    return client === null
      ? null
      : { kind: "outsider", client, groupId: "readers", ...place(chance, "orders") };
  },
  vanish: (chance, shape) => ({ kind: "vanish", client: chance.oneOf(shape.clients).name }),
  cut: (chance, shape) => ({ kind: "cut", client: chance.oneOf(shape.clients).name }),
  stall: (chance, shape) => ({
    kind: "stall",
    client: chance.oneOf(shape.clients).name,
    forMs: chance.below(chance.oneOf([20, 100, 600])),
  }),
  replicate: (chance, shape) => ({
    kind: "replicate",
    brokerId: chance.percent(50) ? null : brokerOf(chance, shape),
  }),
  refresh_isr: () => ({ kind: "refresh_isr" }),
  flush: () => ({ kind: "flush" }),
  retention: () => ({ kind: "retention" }),
  compact: (chance) => ({ kind: "compact", rolls: chance.percent(60) }),
  expire_producers: () => ({ kind: "expire_producers" }),
  expire_members: () => ({ kind: "expire_members" }),
  expire_offsets: () => ({ kind: "expire_offsets" }),
  expire_transactions: () => ({ kind: "expire_transactions" }),
  abort_transaction: (chance, shape) => {
    const ids = shape.clients.flatMap((client) =>
      client.kind === "writer"
        ? [client.transactionalId]
        : client.kind === "copier"
          ? [client.transactions.transactionalId]
          : [],
    );
    return ids.length === 0 ? null : { kind: "abort_transaction", transactionalId: chance.oneOf(ids) };
  },
  roll: (chance, shape) => ({ kind: "roll", ...anyPlace(chance, shape) }),
  promote: (chance, shape) => ({
    kind: "promote",
    ...anyPlace(chance, shape),
    brokerId: brokerOf(chance, shape),
    unclean: shape.allowsUnclean && chance.percent(30),
  }),
  remove_from_isr: (chance, shape) => ({
    kind: "remove_from_isr",
    ...anyPlace(chance, shape),
    brokerId: brokerOf(chance, shape),
  }),
  rejoin: (chance, shape) => ({
    kind: "rejoin",
    ...anyPlace(chance, shape),
    brokerId: brokerOf(chance, shape),
  }),
  delete_records: (chance, shape) => ({
    kind: "delete_records",
    ...place(chance, chance.oneOf(shape.topics).topic),
    share: chance.below(101),
  }),
  stop_broker: (chance, shape) => ({ kind: "stop_broker", brokerId: brokerOf(chance, shape) }),
  start_broker: (chance, shape) => ({ kind: "start_broker", brokerId: brokerOf(chance, shape) }),
  swap_folder: (chance, shape) => ({
    kind: "swap_folder",
    brokerId: brokerOf(chance, shape),
    how: chance.oneOf(["copy", "back", "lose"] as const),
    downMs: downMs(chance),
  }),
  create_topic: (chance, { laterTopics }) =>
    laterTopics.length === 0 ? null : { kind: "create_topic", topic: chance.oneOf(laterTopics).topic },
  delete_topic: (chance, { laterTopics }) =>
    laterTopics.length === 0 ? null : { kind: "delete_topic", topic: chance.oneOf(laterTopics).topic },
  alter: (chance, shape) => {
    const { topic } = chance.oneOf(shape.topics);
    const value = { segment_bytes: 1024 + chance.below(4000), segment_ms: 1 + chance.below(300) };
    const key = chance.oneOf(["segment_bytes", "segment_ms"] as const);
    return { kind: "alter", topic, key, value: value[key] };
  },
  grow: (chance, shape) => ({ kind: "grow", topic: chance.oneOf(shape.topics).topic }),
  crash: (chance, shape) => ({ kind: "crash", fate: chance.oneOf(shape.fates), downMs: downMs(chance) }),
  crash_at: (chance, shape) => ({
    kind: "crash_at",
    point: chance.oneOf(FAULT_POINTS),
    nth: 1 + chance.below(3),
    fate: chance.oneOf(shape.fates),
    downMs: downMs(chance),
  }),
  fail_at: (chance) => ({ kind: "fail_at", point: chance.oneOf(FAULT_POINTS), nth: 1 + chance.below(3) }),
  delay_at: (chance) => ({
    kind: "delay_at",
    point: chance.oneOf(WAITING_POINTS),
    nth: 1 + chance.below(3),
    delayMs: 1 + chance.below(100),
  }),
  hold_at: (chance) => ({
    kind: "hold_at",
    point: chance.oneOf(WAITING_POINTS),
    nth: 1 + chance.below(3),
    forMs: 1 + chance.below(200),
  }),
  restart: (chance, { focus }) => ({
    kind: "restart",
    downMs: downMs(chance),
    slowMs: chance.percent(50) ? 0 : 1 + chance.below(40),
    flushes: focus === "upkeep" && chance.percent(60),
  }),
  hold_syncs: (chance) => ({ kind: "hold_syncs", forMs: 1 + chance.below(60) }),
  slow_syncs: (chance) => ({
    kind: "slow_syncs",
    forMs: 20 + chance.below(200),
    delayMs: 1 + chance.below(4),
  }),
  upon: (chance, shape) => ({
    kind: "upon",
    ...occasion(chance, shape),
    nth: chance.percent(50) ? 1 : 1 + chance.below(4),
    ...soonAfter(chance),
    fate: chance.oneOf(shape.fates),
    downMs: downMs(chance),
    unclean: shape.allowsUnclean && chance.percent(50),
  }),
  left_behind: (chance, shape) => ({
    kind: "left_behind",
    brokerId: brokerOf(chance, shape),
    ...absence(chance, shape),
  }),
  late_marker: (chance) => ({ kind: "late_marker", strays: chance.percent(50) }),
  disk_error: (chance) => ({
    kind: "disk_error",
    operation: chance.oneOf(["write", "sync", "change"] as const),
    code: chance.oneOf(["EIO", "ENOSPC"] as const),
    nth: 1 + chance.below(5),
  }),
  clock_jump: (chance) => ({ kind: "clock_jump", byMs: chance.below(7_200_000) - 3_600_000 }),
};

function drawAct(chance: Chance, shape: Shape): Act | null {
  const kind = chance.weighted(shape.weights) as ActKind;
  return DRAWS[kind](chance, shape);
}

function ending(chance: Chance, { focus }: Shape) {
  const aborts = focus === "remains" ? 50 : 20;
  const end = chance.weighted({ commit: 90 - aborts, abort: aborts, leave: 10 });
  return { end, pauseMs: chance.percent(50) ? 0 : chance.below(25) };
}

/** What a client may do that was not made with care. */
function carelessness(chance: Chance, { focus }: Shape) {
  return { insists: chance.percent(focus === "remains" ? 70 : 30), endsTwice: chance.percent(5) };
}

/** Some take all that there is. */
function bytesMax(chance: Chance): number {
  return chance.percent(30) ? 1 + chance.below(300) : 1 << 20;
}

function downMs(chance: Chance): number {
  return chance.percent(70) ? 1 + chance.below(5) : 1 + chance.below(100);
}

function place(chance: Chance, topic: string) {
  return { topic, partition: chance.below(6) };
}

/** Those that come later, too. */
function topicsOf({ topics, laterTopics }: Shape): readonly TopicShape[] {
  return [...topics, ...laterTopics];
}

function anyPlace(chance: Chance, shape: Shape) {
  const isInternal = chance.percent(30);
  return place(chance, isInternal ? chance.oneOf(INTERNAL) : chance.oneOf(shape.topics).topic);
}

function brokerOf(chance: Chance, { brokers }: Shape): number {
  return 1 + chance.below(brokers);
}

function oneOfKind(chance: Chance, shape: Shape, kind: Shape["clients"][number]["kind"]): string | null {
  const names = shape.clients.filter((client) => client.kind === kind).map(({ name }) => name);
  return names.length === 0 ? null : chance.oneOf(names);
}
