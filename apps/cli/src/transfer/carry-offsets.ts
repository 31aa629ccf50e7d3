/**
 * Carries the committed offsets of groups over: each becomes the offset of the same next record in the copy. As Kafka's MirrorMaker 2
 * does it (KIP-382, KIP-545), a group is never set back in the target unless that is forced; unlike there a translation is exact,
 * or, where the source has lost the records that would have to be counted, earlier rather than later.
 */
import { CliError } from "../failure.ts";
import type { KafkaLink } from "../kafka-cluster/kafka-link.ts";
import { type CommittedOffset, commitOffsets, committedOffsets } from "../kafka-cluster/offsets.ts";
import { notEmpty } from "./carried-groups.ts";
import type { PartitionCopy } from "./copy-partition.ts";
import type { TopicCopy } from "./copy-topic.ts";
import type { Ends } from "./ends.ts";
import { translated } from "./span.ts";

export type Carrying =
  | "carried"
  /** The group reads some records once more: how many came before cannot be counted any more. */
  | "earlier"
  /** The group is as far, or further, in the target. */
  | "kept"
  /** The group is further than what was copied. */
  | "ahead";

export interface CarriedOffset {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly sourceOffset: number;
  /** Where the group goes on in the copy; `null` where nothing is committed there. */
  readonly targetOffset: number | null;
  readonly outcome: Carrying;
}

export async function carryOffsets(
  { source, target }: Ends,
  { plan, partitions, topics }: TopicCopy,
  group: string,
  force: boolean,
): Promise<CarriedOffset[]> {
  const { topic, partitions: count } = plan.source;
  const here = await committedOffsets(source, group, topic, count);
  if (here.length === 0) return [];
  const there = await committedIn(target, group, plan.targetTopic, count);
  const carried: CarriedOffset[] = [];
  const commits: CommittedOffset[] = [];
  for (const { partition, offset, metadata } of here) {
    const copy = partitions[partition];
    if (copy === undefined) continue;
    const place = { group, topic: plan.targetTopic, partition, sourceOffset: offset };
    const before = there.get(partition) ?? null;
    const found = await offsetIn(copy, offset);
    if (found === null) carried.push({ ...place, targetOffset: before, outcome: "ahead" });
    else if (before !== null && before >= found.target && !force)
      carried.push({ ...place, targetOffset: before, outcome: "kept" });
    else {
      carried.push({ ...place, targetOffset: found.target, outcome: found.isExact ? "carried" : "earlier" });
      commits.push({ partition, offset: found.target, metadata });
    }
  }
  if (commits.length === 0) return carried;
  // What was committed and counted was of these topics, and so is what is committed now.
  await topics.requireBoth();
  await commitOffsets(target, group, plan.targetTopic, commits).catch((error: unknown) => {
    throw refusedCommit(error, group, target.where);
  });
  return carried;
}

/** What a cluster says of a commit without a member, where the group has some by now: those of either protocol of groups. */
const HAS_MEMBERS: readonly unknown[] = ["UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION", "STALE_MEMBER_EPOCH"];

/** The group may have got its first member since it was looked at. */
export function refusedCommit(error: unknown, group: string, where: string): unknown {
  const isJoined = error instanceof CliError && HAS_MEMBERS.includes(error.details.kafka_error);
  return isJoined ? notEmpty([group], where, "; then the same command goes on") : error;
}

async function committedIn(
  target: KafkaLink,
  group: string,
  topic: string,
  partitions: number,
): Promise<ReadonlyMap<number, number>> {
  const found = await committedOffsets(target, group, topic, partitions);
  return new Map(found.map(({ partition, offset }) => [partition, offset]));
}

interface Found {
  readonly target: number;
  readonly isExact: boolean;
}

/** `null` where the copy has not come so far. */
async function offsetIn(copy: PartitionCopy, offset: number): Promise<Found | null> {
  const found = translated(copy, offset);
  if (found.kind === "ahead") return null;
  if (found.kind === "exact") return { target: found.target, isExact: true };
  const { span } = found;
  const records = await copy.recordsWithin(span);
  if (records.length !== span.count) return { target: span.target, isExact: false };
  const before = records.filter((record) => record.offset < offset).length;
  return { target: span.target + before, isExact: true };
}
