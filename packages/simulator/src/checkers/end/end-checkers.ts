/** Everything that is judged once the faults are over and the cluster had its time. */
import type { Checker, Judge } from "../checker.ts";
import type { EndGroup, EndLook, EndPartition, EndReplica, StandingRecord } from "./end-look.ts";

const converged: Checker<EndLook> = {
  name: "converged",
  promise:
    "every partition is led, every replica is in sync and as long as the leader, and everything is visible and decided",
  check({ partitions }, judge) {
    for (const partition of partitions) {
      judge.asked();
      const problem = apartBy(partition);
      if (problem !== null) judge.violated(`${partition.place} ${problem}`, [partitionWords(partition)]);
    }
  },
};

function apartBy(partition: EndPartition): string | null {
  const { leaderId, replicaIds, inSyncReplicas, highWatermark, lastStableOffset, replicas } = partition;
  if (leaderId === null) return "has no leader";
  if (inSyncReplicas.length < replicaIds.length || replicas.length < replicaIds.length)
    return "has replicas out of sync";
  if (replicas.some(({ logEndOffset }) => logEndOffset !== highWatermark)) return "is not visible to its end";
  return lastStableOffset === highWatermark ? null : "has something open";
}

function partitionWords({
  leaderId,
  inSyncReplicas,
  highWatermark,
  lastStableOffset,
  replicas,
}: EndPartition): string {
  const ends = replicas.map(
    ({ brokerId, logStartOffset, logEndOffset }) => `${brokerId}: ${logStartOffset} to ${logEndOffset}`,
  );
  const marks = `high watermark ${highWatermark}, stable to ${lastStableOffset}`;
  return `led by ${leaderId ?? "nobody"}, in sync ${inSyncReplicas.join(",")}, ${marks}; ${ends.join("; ")}`;
}

const replicasAgree: Checker<EndLook> = {
  name: "replicas-agree",
  promise: "all replicas hold the same records; of a compacted log the same last record of each key",
  check({ partitions }, judge) {
    for (const { place, replicas, isCompacted } of partitions) {
      const [first, ...others] = replicas;
      const startOffset = Math.max(...replicas.map(({ logStartOffset }) => logStartOffset));
      if (first === undefined) continue;
      for (const other of others) {
        const standing = [first, other].map((replica) => standingIn(replica, startOffset, isCompacted));
        const [ones, theirs] = standing;
        if (ones === undefined || theirs === undefined) continue;
        judge.asked(Math.max(ones.size, theirs.size));
        const differing = firstDifference(ones, theirs);
        if (differing === null) continue;
        judge.violated(
          `${first.brokerId} and ${other.brokerId} do not hold the same of ${place}: ${differing}`,
          [recordWords(first, ones.get(differing)), recordWords(other, theirs.get(differing))],
        );
      }
    }
  },
};

/** By offset; of a compacted log by key, where it has one: the last that counts, unless that deletes it. */
function standingIn(
  { records }: EndReplica,
  startOffset: number,
  isCompacted: boolean,
): Map<string, StandingRecord> {
  const standing = new Map<string, StandingRecord>();
  for (const record of records) {
    const { offset, key, fate, isTombstone } = record;
    if (offset < startOffset) continue;
    if (!isCompacted) standing.set(`offset ${offset}`, record);
    else if (fate === "aborted") continue;
    else if (key === null) standing.set(`offset ${offset}`, record);
    else if (isTombstone) standing.delete(`key ${key}`);
    else standing.set(`key ${key}`, record);
  }
  return standing;
}

function firstDifference(
  ones: ReadonlyMap<string, StandingRecord>,
  others: ReadonlyMap<string, StandingRecord>,
): string | null {
  for (const [name, { offset, content }] of ones) {
    const other = others.get(name);
    if (other?.offset !== offset || other.content !== content) return name;
  }
  for (const name of others.keys()) if (!ones.has(name)) return name;
  return null;
}

function recordWords({ brokerId }: EndReplica, record: StandingRecord | undefined): string {
  if (record === undefined) return `${brokerId} has nothing there`;
  return `${brokerId} has ${record.content} at ${record.offset}, ${record.fate}`;
}

const groupsSettled: Checker<EndLook> = {
  name: "groups-settled",
  promise:
    "every partition that somebody subscribes to has one owner, who subscribes to it, and nobody has anything to let go",
  check({ partitions, groups }, judge) {
    const places = partitions.map(({ place }) => place);
    for (const group of groups) if (group.members.length > 0) checkGroup(group, places, judge);
  },
};

function checkGroup({ groupId, state, members }: EndGroup, places: readonly string[], judge: Judge): void {
  judge.asked();
  const words = members.map(
    ({ memberId, topics, assignment, revoking }) =>
      `${memberId} reads ${topics.join(",")}, has ${assignment.join(",") || "nothing"}, is to let go ${revoking.join(",") || "nothing"}`,
  );
  const wrong = (problem: string) =>
    judge.violated(`${groupId} ${problem}`, [`its state is ${state}`, ...words]);
  if (state !== "stable" || members.some(({ revoking }) => revoking.length > 0)) wrong("is not stable");
  for (const place of places) {
    const topic = place.slice(0, place.lastIndexOf("/"));
    const readers = members.filter(({ topics }) => topics.includes(topic));
    const owners = members.filter(({ assignment }) => assignment.includes(place));
    if (owners.length > (readers.length > 0 ? 1 : 0) || (readers.length > 0 && owners.length === 0))
      wrong(`has ${owners.length} owners of ${place}, which ${readers.length} members read`);
    if (owners.some((owner) => !readers.includes(owner)))
      wrong(`has an owner of ${place} who does not read it`);
  }
}

const DECIDED = ["prepare_commit", "prepare_abort"];

const transactionsEnded: Checker<EndLook> = {
  name: "transactions-ended",
  promise: "no transaction is open once its time is over, and none is decided and not completed",
  check({ transactions }, judge) {
    for (const { transactionalId, state, isOverdue } of transactions) {
      judge.asked();
      if (DECIDED.includes(state) || (state === "ongoing" && isOverdue))
        judge.violated(`a transaction of ${transactionalId} never ends`, [`its state is ${state}`]);
    }
  },
};

export const END_CHECKERS: readonly Checker<EndLook>[] = [
  converged,
  replicasAgree,
  groupsSettled,
  transactionsEnded,
];
