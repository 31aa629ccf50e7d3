/** What each kind of entry does when its time has come. */
import type { TopicPartition } from "@minikafka/core";
import { Chance } from "../chance.ts";
import { Consumer } from "../clients/consumer.ts";
import { Copier } from "../clients/copier.ts";
import { IdempotentProducer } from "../clients/idempotent-producer.ts";
import { PlainProducer } from "../clients/plain-producer.ts";
import { Reader } from "../clients/reader.ts";
import { Writer } from "../clients/writer.ts";
import type { ActKind, ActOf, Entry } from "../script/entry.ts";
import { placeName } from "../world/topics.ts";
import { startBroker, swapFolder } from "./broker-acts.ts";
import { promoteTo, refreshIsr } from "./leader-acts.ts";
import { leftBehind } from "./left-behind.ts";
import { lateMarker, upon } from "./occasion-acts.ts";
import { operate } from "./operator.ts";
import { createTopic, deleteTopic, growTopic } from "./topic-acts.ts";
import { type RunWorld, replaceClient } from "./world.ts";

type Take<Kind extends ActKind> = (world: RunWorld, act: ActOf<Kind>, luck: Chance) => void;

const TAKES: { readonly [Kind in ActKind]: Take<Kind> } = {
  send: ({ clients, topics }, { client: name, topic, partition, keys, isTombstone, acks }, luck) => {
    const client = clients.get(name);
    const place = topics.place(topic, partition);
    if (place === null) return;
    client?.take(luck);
    if (client instanceof IdempotentProducer || client instanceof PlainProducer)
      client.send({ place, keys, isTombstone, acks });
  },
  read: ({ clients, topics }, { client: name, topic, partition }, luck) => {
    const client = clients.get(name);
    const place = topics.place(topic, partition);
    client?.take(luck);
    if (client instanceof Reader && place !== null) client.read(place);
  },
  transact: ({ clients, topics }, { client: name, sends, ...ending }, luck) => {
    const client = clients.get(name);
    client?.take(luck);
    const placed = sends.flatMap(({ topic, partition, keys }) => {
      const place = topics.place(topic, partition);
      return place === null ? [] : [{ place, keys }];
    });
    if (client instanceof Writer) client.transact({ ...ending, sends: placed });
  },
  consume: ({ clients }, { client: name, ...order }, luck) => {
    const client = clients.get(name);
    client?.take(luck);
    if (client instanceof Consumer) client.consume(order);
  },
  copy: ({ clients }, { client: name, ...order }, luck) => {
    const client = clients.get(name);
    client?.take(luck);
    if (client instanceof Copier) client.copy(order);
  },
  outsider: ({ clients, topics }, { client: name, groupId, topic, partition }, luck) => {
    const client = clients.get(name);
    const place = topics.place(topic, partition);
    client?.take(luck);
    if (client instanceof Reader && place !== null) client.commitAsOutsider(groupId, place);
  },
  vanish: (world, { client }) => replaceClient(world, client),
  cut: ({ clients }, { client }) => clients.get(client)?.connection.cut(),
  stall: ({ clients }, { client, forMs }) => clients.get(client)?.connection.stall(forMs),
  replicate: (world, { brokerId }) =>
    operate(world, (cluster) => cluster.replicateOnce(brokerId === null ? {} : { brokerId })),
  refresh_isr: refreshIsr,
  flush: (world) => operate(world, (cluster) => cluster.steps.flushLogs()),
  retention: (world) => operate(world, (cluster) => cluster.steps.applyRetention()),
  compact,
  expire_producers: (world) => operate(world, (cluster) => cluster.steps.expireProducers()),
  expire_members: (world) => operate(world, (cluster) => cluster.groups.expireMembers()),
  expire_offsets: (world) => operate(world, (cluster) => cluster.groups.expireOffsets()),
  expire_transactions: (world) => operate(world, (cluster) => cluster.transactions.expire()),
  abort_transaction: (world, { transactionalId }) =>
    operate(world, (cluster) => cluster.transactions.abort(transactionalId)),
  roll: (world, act) => atPlace(world, act, (cluster, place) => cluster.steps.rollSegment(place)),
  promote: (world, act) => atPlace(world, act, (cluster, place) => promoteTo(world, cluster, place, act)),
  remove_from_isr: (world, act) =>
    atPlace(world, act, (cluster, place) => cluster.removeFromIsr(place, act.brokerId)),
  rejoin: (world, act) => atPlace(world, act, (cluster, place) => cluster.rejoin(place, act.brokerId)),
  delete_records: deleteRecords,
  stop_broker: (world, { brokerId }) => operate(world, (cluster) => cluster.stopBroker(brokerId)),
  start_broker: (world, { brokerId }) => startBroker(world, brokerId),
  swap_folder: swapFolder,
  create_topic: createTopic,
  delete_topic: deleteTopic,
  grow: growTopic,
  alter: (world, { topic, key, value }) =>
    operate(world, (cluster) => cluster.alterConfig(topic, { [key]: value })),
  crash: ({ process }, { fate, downMs }, luck) => {
    if (process.cluster !== null) process.kill(fate, luck, downMs);
  },
  crash_at: ({ process }, { point, nth, fate, downMs }) => {
    process.fateAtFault = fate;
    process.downMsAtFault = downMs;
    process.faults.arm({ point, action: "crash", times: { nth } });
  },
  fail_at: ({ process }, { point, nth }) =>
    void process.faults.arm({ point, action: "error", times: { nth } }),
  delay_at: ({ process }, { point, nth, delayMs }) =>
    void process.faults.arm({ point, action: "delay", delayMs, times: { nth } }),
  hold_at: ({ process, timeline }, { point, nth, forMs }) => {
    const rule = process.faults.arm({ point, action: "hold", times: { nth } });
    timeline.plan(forMs, () => process.faults.disarm(rule));
  },
  restart,
  upon,
  left_behind: leftBehind,
  late_marker: lateMarker,
  slow_syncs: ({ process: { faults }, timeline }, { forMs, delayMs }) => {
    for (const point of ["disk.sync.before", "disk.sync_folder.before"] as const) {
      const rule = faults.arm({ point, action: "delay", delayMs, times: "always" });
      timeline.plan(forMs, () => faults.disarm(rule));
    }
  },
  hold_syncs: ({ process, timeline }, { forMs }) => {
    const { disk } = process;
    disk.holdSyncs();
    timeline.plan(forMs, () => disk.releaseSyncs());
  },
  disk_error: ({ process, recorder }, { operation, code, nth }) => {
    recorder.happened({ kind: "disk_failed", brokerId: null, errno: code });
    process.disk.fail({ operation, code, times: { nth } });
  },
  clock_jump: ({ clock, recorder }, { byMs }) => {
    recorder.happened({ kind: "clock_jumped", byMs });
    clock.jump(byMs);
  },
};

/** Takes an entry of a script. */
export function takeEntry(world: RunWorld, entry: Entry): void {
  const take = TAKES[entry.kind] as (world: RunWorld, act: Entry, luck: Chance) => void;
  take(world, entry, new Chance(entry.luck));
}

function atPlace(
  world: RunWorld,
  act: TopicPartition,
  operation: (cluster: Parameters<Parameters<typeof operate>[1]>[0], place: TopicPartition) => unknown,
): void {
  operate(world, (cluster) => {
    if (!cluster.hasTopic(act.topic)) return undefined;
    const { partitions } = cluster.describeTopic(act.topic);
    return operation(cluster, { topic: act.topic, partition: act.partition % partitions });
  });
}

/** Only what was flushed takes part, and what is written no more. */
function compact(world: RunWorld, { rolls }: ActOf<"compact">): void {
  operate(world, async (cluster) => {
    if (rolls)
      for (const { topic } of cluster.listTopics())
        for (const { partition, leaderId } of cluster.metadata(topic).partitions)
          if (leaderId !== null) cluster.steps.rollSegment({ topic, partition });
    await cluster.steps.flushLogs();
    await cluster.steps.compact(() => new Promise((resolve) => void world.timeline.plan(1, resolve)));
  });
}

function restart(world: RunWorld, { downMs, slowMs, flushes }: ActOf<"restart">): void {
  const { process, timeline } = world;
  const close = () => {
    const { disk } = process;
    if (slowMs > 0) {
      disk.holdSyncs();
      timeline.plan(slowMs, () => disk.releaseSyncs());
    }
    process.close(downMs);
  };
  if (flushes) operate(world, (cluster) => cluster.steps.flushLogs(), { done: close, refused: close });
  else close();
}

function deleteRecords(world: RunWorld, act: ActOf<"delete_records">): void {
  const { recorder } = world;
  atPlace(world, act, async (cluster, place) => {
    const { highWatermark } = cluster.replicaSet(place);
    const before = act.share === 100 ? "high_watermark" : Math.floor((highWatermark * act.share) / 100);
    const beforeOffset = before === "high_watermark" ? null : before;
    const recorded = recorder.asked("delete_records", "operator", { place: placeName(place), beforeOffset });
    try {
      const logStartOffset = await cluster.deleteRecords(place, before);
      recorded.ok({ logStartOffset });
    } catch (problem) {
      recorded.unknown(null);
      throw problem;
    }
  });
}
