/**
 * The witness of the group's log: it reads the records as they lie there, and says what is wrong with their order. It knows no
 * code of the coordinator but the shape of its records.
 */
import assert from "node:assert/strict";
import { decodeRecords, splitFrames } from "@minikafka/record";
import { readRecord } from "../src/coordinator/coordinator-record.ts";
import { parseGroupRecord } from "../src/group/group-record.ts";
import { type Group, groupProblem, newGroup, revokingOf } from "../src/group/group-state.ts";
import { keyOf, keysOf } from "../src/group/partition-sets.ts";
import { readOffsetRecord } from "../src/offsets/offset-record.ts";
import type { PartitionReplicaSet } from "../src/replica/replica-set.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";

/** Who committed a number; `null`: nobody in particular. */
export interface Committed {
  readonly memberId: string | null;
  readonly generation: number;
  readonly place: TopicPartition;
}

/** What the log says in the end. */
export interface LogVerdict {
  readonly group: Group;
  readonly generations: number;
  readonly releases: number;
  readonly commits: number;
}

/** Throws an AssertionError that names the offset. Nothing may have been compacted. */
export function checkGroupLog(
  set: PartitionReplicaSet,
  {
    groupId,
    committed,
    isBarrier,
  }: { groupId: string; committed: ReadonlyMap<number, Committed>; isBarrier: boolean },
): LogVerdict {
  let group = newGroup(groupId);
  let [generations, releases, commits] = [0, 0, 0];
  const log = set.leaderLog;
  for (let offset = log.logStartOffset; offset < set.highWatermark; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: set.highWatermark });
    for (const { key, value, offset: at } of splitFrames(batches).flatMap((frame) => decodeRecords(frame))) {
      const record = readRecord(textOf(key), textOf(value));
      if (record.key.group_id !== groupId) continue;
      if (record.key.kind === "group") {
        const next = parseGroupRecord(record).group;
        assert.ok(next !== null, "no group was forgotten");
        requireStep(group, next, { at, isBarrier });
        if (next.generation > group.generation) generations++;
        else if (next.members !== group.members) releases++;
        group = next;
      } else {
        const { stored, ...place } = readOffsetRecord(record, (text) => text);
        if (stored === null) continue;
        requireOwner(group, committed.get(stored.offset), { place, at });
        commits++;
      }
    }
    offset = nextOffset;
  }
  return { group, generations, releases, commits };
}

function requireStep(
  before: Group,
  after: Group,
  { at, isBarrier }: { at: number; isBarrier: boolean },
): void {
  assert.equal(groupProblem(after), null, `record ${at}`);
  const growth = after.generation - before.generation;
  assert.ok(
    growth === 0 || growth === 1,
    `record ${at}: generation ${after.generation} after ${before.generation}`,
  );
  const [ids, idsAfter] = [before, after].map(({ members }) => [...members.keys()].join());
  assert.ok(growth === 1 || ids === idsAfter, `record ${at}: other members in the same generation`);
  for (const [memberId, member] of after.members) {
    const kept = revokingOf(member).find(({ topic }) => !isSameTopic(topic, before, after));
    assert.equal(kept, undefined, `record ${at}: ${memberId} keeps a partition of a topic that is gone`);
  }
  if (!isBarrier) return;
  for (const [memberId, member] of before.members) {
    const now = after.members.get(memberId);
    if (now === undefined) continue;
    const mayGo = growth === 0 ? keysOf(revokingOf(member)) : new Set<string>();
    const has = keysOf(now.assigned);
    for (const partition of member.assigned) {
      const isThere = isSameTopic(partition.topic, before, after);
      if (!isThere || has.has(keyOf(partition)) || mayGo.has(keyOf(partition))) continue;
      assert.fail(`record ${at}: ${keyOf(partition)} was taken from ${memberId}, which had not let it go`);
    }
  }
}

function isSameTopic(topic: string, before: Group, after: Group): boolean {
  return after.topics.get(topic)?.topicId === before.topics.get(topic)?.topicId;
}

function requireOwner(
  group: Group,
  by: Committed | undefined,
  { place, at }: { place: TopicPartition; at: number },
): void {
  assert.ok(by !== undefined, `record ${at}: an offset that nobody committed`);
  assert.equal(keyOf(by.place), keyOf(place), `record ${at}`);
  if (by.memberId === null) {
    assert.equal(group.members.size, 0, `record ${at}: committed from outside while there are members`);
    return;
  }
  const member = group.members.get(by.memberId);
  assert.ok(member !== undefined, `record ${at}: ${by.memberId} committed and is no member`);
  assert.equal(
    by.generation,
    group.generation,
    `record ${at}: ${by.memberId} committed in a stale generation`,
  );
  assert.ok(
    keysOf(member.assigned).has(keyOf(place)),
    `record ${at}: ${by.memberId} does not own ${keyOf(place)}`,
  );
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString();
}
