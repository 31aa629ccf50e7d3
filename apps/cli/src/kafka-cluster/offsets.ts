/** Where the logs of a topic begin and end, and how far groups have come in it. */
import type { Place } from "./cluster-address.ts";
import type { KafkaLink } from "./kafka-link.ts";

export interface Bounds {
  readonly start: number;
  /** With transactions that are open, where the first of them begins (the last stable offset). */
  readonly end: number;
  /** Where the next record will be, committed or not. */
  readonly highWatermark: number;
}

const EARLIEST = -2n;
const LATEST = -1n;
const CONSUMER = -1;
const READ_UNCOMMITTED = 0;
const READ_COMMITTED = 1;

export async function boundsOf(link: KafkaLink, place: Place): Promise<Bounds> {
  return {
    start: await offsetAt(link, place, EARLIEST, READ_COMMITTED),
    end: await offsetAt(link, place, LATEST, READ_COMMITTED),
    highWatermark: await offsetAt(link, place, LATEST, READ_UNCOMMITTED),
  };
}

export function endOf(link: KafkaLink, place: Place): Promise<number> {
  return offsetAt(link, place, LATEST, READ_UNCOMMITTED);
}

async function offsetAt(
  link: KafkaLink,
  { topic, partition }: Place,
  timestamp: bigint,
  isolation: number,
): Promise<number> {
  const { api } = link.kafkaClient.listOffsetsV7;
  const asked = {
    name: topic,
    partitions: [{ partitionIndex: partition, currentLeaderEpoch: -1, timestamp }],
  };
  const answer = await link.ask(
    `asking for the offsets of ${topic} [${partition}]`,
    { kind: "leader", topic, partition },
    (connection) => api.async(connection, CONSUMER, isolation, [asked]),
  );
  return Number(answer.topics[0]?.partitions[0]?.offset ?? -1n);
}

/** Every group with its state, such as Stable or Empty, whichever protocol its members speak. */
export async function groupStates(link: KafkaLink): Promise<ReadonlyMap<string, string>> {
  // Each broker knows the groups that it coordinates.
  const lists = await link.everywhere("asking for the groups", (connection) =>
    link.kafkaClient.listGroupsV4.api.async(connection, [], []).then(({ groups }) => groups),
  );
  return new Map(lists.flat().map(({ groupId, groupState }) => [groupId, groupState]));
}

export interface CommittedOffset {
  readonly partition: number;
  readonly offset: number;
  /** What the consumer wrote beside it. */
  readonly metadata: string;
}

/** Of the partitions for which something is committed. */
export async function committedOffsets(
  link: KafkaLink,
  group: string,
  topic: string,
  partitions: number,
): Promise<CommittedOffset[]> {
  const partitionIndexes = Array.from({ length: partitions }, (_, partition) => partition);
  const asked = {
    groupId: group,
    memberId: null,
    memberEpoch: -1,
    topics: [{ name: topic, partitionIndexes }],
  };
  const answer = await link.ask(
    `asking for the offsets of group ${group}`,
    { kind: "coordinator", group },
    (connection) => link.kafkaClient.offsetFetchV8.api.async(connection, [asked], false),
  );
  return (answer.groups[0]?.topics[0]?.partitions ?? [])
    .filter(({ committedOffset }) => committedOffset >= 0n)
    .map(({ partitionIndex, committedOffset, metadata }) => ({
      partition: partitionIndex,
      offset: Number(committedOffset),
      metadata: metadata ?? "",
    }))
    .sort((one, other) => one.partition - other.partition);
}

const NO_GENERATION = -1;

/** As a consumer without a group's membership commits: taken while the group has no members. */
export async function commitOffsets(
  link: KafkaLink,
  group: string,
  topic: string,
  offsets: readonly CommittedOffset[],
): Promise<void> {
  const partitions = offsets.map(({ partition, offset, metadata }) => ({
    partitionIndex: partition,
    committedOffset: BigInt(offset),
    committedLeaderEpoch: -1,
    committedMetadata: metadata,
  }));
  await link.ask(`committing the offsets of group ${group}`, { kind: "coordinator", group }, (connection) =>
    link.kafkaClient.offsetCommitV8.api.async(connection, group, NO_GENERATION, "", null, [
      { name: topic, partitions },
    ]),
  );
}
