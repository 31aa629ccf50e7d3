/** What must hold of a cluster, whatever fault it has met: for its clients what they were told, for its replicas that they agree. */
import assert from "node:assert/strict";
import { decodeRecords, readBatchHeader, splitFrames } from "@minikafka/record";
import type { BrokerCluster } from "../../src/cluster/cluster.ts";
import { partitionName, type TopicPartition } from "../../src/replica/topic-partition.ts";
import { committedRecords } from "../transactional-producer.ts";
import { type FaultLife, placesOf } from "./life.ts";
import type { Facts, Sent } from "./witness.ts";

interface Read {
  readonly offset: number;
  readonly key: string | null;
  readonly value: string;
}

/** `powerLost`: what was not asked to be on the disk may be gone. Everybody is in sync, and no transaction is open. */
export async function requireSound(life: FaultLife, powerLost: boolean): Promise<void> {
  const cluster = await life.cluster();
  const { facts } = life.witness;
  requireTopics(cluster, facts);
  for (const place of placesOf(cluster)) requireAgreement(cluster, place);
  for (const place of clientPlaces(cluster, facts)) {
    const sent = facts.sent.filter((each) => each.place === partitionName(place));
    const records = readAll(cluster, place);
    requireNothingElse(records, sent, place);
    for (const each of sent) if (isOwed(cluster, each, { facts, powerLost })) requireThere(records, each);
    requireOnce(records, sent);
    for (const value of facts.refused)
      assert.ok(!records.some((record) => record.value === value), `${value} was refused`);
  }
  requireTransactions(cluster, facts);
  await requireGroups(life, cluster, facts);
}

function requireTopics(cluster: BrokerCluster, { topics, partitions }: Facts): void {
  for (const [topic, fate] of Object.entries(topics)) {
    if (fate !== "unknown")
      assert.equal(cluster.hasTopic(topic), fate === "there", `${topic} is to be ${fate}`);
    if (fate !== "there") continue;
    const { partitions: count } = cluster.describeTopic(topic);
    assert.ok(count >= (partitions[topic] ?? 1), `${topic} has ${count} partitions`);
  }
}

/** Followers have what the leader has, and everybody knows how far. */
function requireAgreement(cluster: BrokerCluster, place: TopicPartition): void {
  const name = partitionName(place);
  const {
    leaderId,
    inSyncReplicas,
    replicas,
    logStartOffset,
    logEndOffset,
    highWatermark,
    lastStableOffset,
  } = cluster.describePartition(place);
  assert.ok(leaderId !== null && inSyncReplicas.includes(leaderId), `${name} is led by ${leaderId}`);
  assert.deepEqual([...inSyncReplicas].sort(), replicas.map(({ brokerId }) => brokerId).sort(), name);
  const ends = replicas.map((replica) => [replica.logEndOffset, replica.highWatermark, replica.problem]);
  for (const each of ends) assert.deepEqual(each, [logEndOffset, logEndOffset, null], name);
  const known = [logStartOffset, lastStableOffset, highWatermark, logEndOffset].map(Number);
  assert.deepEqual(
    known,
    known.toSorted((one, other) => one - other),
    `${name} has its offsets in order`,
  );
  const { isInternal, config } = cluster.describeTopic(place.topic);
  // What compaction has done may differ from replica to replica.
  if (isInternal || config.cleanup_policy === "compact") return;
  const logs = cluster.replicaSet(place).copies.map(({ log }) => log);
  const from = Math.max(...logs.map((log) => log.logStartOffset));
  const [first, ...others] = logs.map((log) => valuesFrom(log, from));
  for (const other of others) assert.deepEqual(other, first, `the replicas of ${name}`);
}

type Log = ReturnType<BrokerCluster["replicaLog"]>;

/** `offset:value@leader epoch`, markers too. */
function valuesFrom(log: Log, from: number): string[] {
  return framesFrom(log, from).flatMap((frame) => {
    const { control, baseOffset, leaderEpoch } = readBatchHeader(frame);
    if (control !== null) return [`${baseOffset}:${control}@${leaderEpoch}`];
    return decodeRecords(frame).map(({ offset, value }) => `${offset}:${textOf(value)}@${leaderEpoch}`);
  });
}

function framesFrom(log: Log, from: number): Buffer[] {
  const frames: Buffer[] = [];
  for (let offset = from; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    frames.push(...splitFrames(batches));
    offset = nextOffset;
  }
  return frames;
}

function textOf(bytes: Uint8Array | null): string {
  return Buffer.from(bytes ?? []).toString();
}

/** As a reader without isolation sees it. */
function readAll(cluster: BrokerCluster, place: TopicPartition): Read[] {
  const log = cluster.replicaLog(place);
  return framesFrom(log, log.logStartOffset)
    .filter((frame) => readBatchHeader(frame).control === null)
    .flatMap((frame) => decodeRecords(frame))
    .filter(({ offset }) => offset >= log.logStartOffset)
    .map(({ offset, key, value }) => ({
      offset,
      key: key === null ? null : textOf(key),
      value: textOf(value),
    }));
}

/** Whether a client may rely on it. */
function isOwed(
  cluster: BrokerCluster,
  { place, told, acks, key, value }: Sent,
  { facts, powerLost }: { facts: Facts; powerLost: boolean },
): boolean {
  if (told === null || told.offset < (facts.deletedBefore[place] ?? 0)) return false;
  const index = facts.sent.findIndex((each) => each.value === value);
  const isOutdated = key !== null && facts.sent.slice(index + 1).some((later) => later.key === key);
  if (isOutdated) return false;
  if (acks === "all") return true;
  const [topic = "", partition] = place.split("-");
  const { leaderEpoch } = cluster.replicaSet({ topic, partition: Number(partition) });
  return !powerLost && leaderEpoch === told.leaderEpoch;
}

function requireThere(records: readonly Read[], { place, value, told }: Sent): void {
  const found = records.find(({ offset }) => offset === told?.offset);
  assert.equal(found?.value, value, `${place} at ${told?.offset}, where it was acknowledged`);
}

function requireNothingElse(records: readonly Read[], sent: readonly Sent[], place: TopicPartition): void {
  const known = new Set(sent.map(({ value }) => value));
  for (const { value } of records)
    assert.ok(known.has(value), `nobody sent ${value} to ${partitionName(place)}`);
}

function requireOnce(records: readonly Read[], sent: readonly Sent[]): void {
  for (const { value, isIdempotent } of sent) {
    const count = records.filter((record) => record.value === value).length;
    assert.ok(!isIdempotent || count <= 1, `${value} is there ${count} times`);
  }
}

/** A transaction is seen in all its partitions or in none: in all once its commit was answered, in none without one that was asked for. */
function requireTransactions(cluster: BrokerCluster, facts: Facts): void {
  const seen = new Set(
    clientPlaces(cluster, facts)
      .flatMap((place) => committedRecords(cluster, place))
      .map(({ value }) => value),
  );
  for (const [name, { end, isTold }] of Object.entries(facts.transactions)) {
    const parts = facts.sent.filter(({ transaction }) => transaction === name).map(({ value }) => value);
    const seenParts = parts.filter((value) => seen.has(value));
    if (end !== "commit") assert.deepEqual(seenParts, [], `${name} was never committed`);
    else if (isTold || seenParts.length > 0) assert.deepEqual(seenParts, parts, `${name} was committed`);
  }
}

function clientPlaces(cluster: BrokerCluster, { topics }: Facts): TopicPartition[] {
  return placesOf(cluster).filter(({ topic }) => topic in topics);
}

async function requireGroups(life: FaultLife, cluster: BrokerCluster, facts: Facts): Promise<void> {
  for (const [group, { told, asked }] of Object.entries(facts.offsets)) {
    const [committed] = await life.driven(cluster.groups.committed({ groupId: group }));
    const offset = committed?.offset ?? null;
    assert.ok([told, ...asked].includes(offset), `${group} has committed ${offset}, and was told ${told}`);
  }
  for (const [group, generation] of Object.entries(facts.generations)) {
    const { generation: now } = await life.driven(cluster.groups.describe(group));
    assert.ok(now >= generation, `${group} is in generation ${now}, and was told ${generation}`);
  }
}
