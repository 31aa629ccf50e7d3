import { describe, expect, it, test } from "vitest";
import { Verdict } from "../src/checkers/checker.ts";
import { END_CHECKERS } from "../src/checkers/end/end-checkers.ts";
import type { EndLook, EndMember, EndPartition, StandingRecord } from "../src/checkers/end/end-look.ts";

function record(offset: number, changes: Partial<StandingRecord> = {}): StandingRecord {
  return { offset, key: null, isTombstone: false, content: `r${offset}`, fate: "plain", ...changes };
}

/** Three replicas with the same two records, unless said otherwise. */
function partition(
  changes: Partial<EndPartition> = {},
  records: readonly (readonly StandingRecord[])[] = [],
): EndPartition {
  const two = [record(0), record(1)];
  const replicas = [1, 2, 3].map((brokerId, index) => ({
    brokerId,
    logStartOffset: 0,
    logEndOffset: 2,
    records: records[index] ?? two,
  }));
  return {
    place: "orders/0",
    leaderId: 1,
    replicaIds: [1, 2, 3],
    inSyncReplicas: [1, 2, 3],
    highWatermark: 2,
    lastStableOffset: 2,
    isCompacted: false,
    replicas,
    ...changes,
  };
}

function member(
  memberId: string,
  assignment: readonly string[],
  changes: Partial<EndMember> = {},
): EndMember {
  return { memberId, topics: ["orders"], assignment, revoking: [], ...changes };
}

function ofGroup(members: readonly EndMember[], state = "stable"): Partial<EndLook> {
  return { partitions: [partition()], groups: [{ groupId: "g", state, members }] };
}

const [LATER, EARLIER] = [record(1, { key: "k" }), record(0, { key: "k" })];

function transaction(state: string, isOverdue = false) {
  return { transactionalId: "t", state, isOverdue };
}

type Case = readonly [checker: string, what: string, look: Partial<EndLook>];

const FLAGGED: readonly Case[] = [
  ["converged", "nobody leads", { partitions: [partition({ leaderId: null })] }],
  ["converged", "one is out of sync", { partitions: [partition({ inSyncReplicas: [1, 2] })] }],
  ["converged", "not all is visible", { partitions: [partition({ highWatermark: 1, lastStableOffset: 1 })] }],
  ["converged", "something is open", { partitions: [partition({ lastStableOffset: 1 })] }],
  [
    "replicas-agree",
    "a replica has another record",
    { partitions: [partition({}, [[record(0), record(1, { content: "x" })]])] },
  ],
  ["replicas-agree", "a replica lacks one", { partitions: [partition({}, [[], [], [record(0)]])] }],
  [
    "replicas-agree",
    "compaction took a key's last record from one of them",
    { partitions: [partition({ isCompacted: true }, [[EARLIER], [EARLIER, LATER], [EARLIER, LATER]])] },
  ],
  [
    "replicas-agree",
    "a tombstone went from one of them alone, and left what it deletes",
    {
      partitions: [
        partition({ isCompacted: true }, [[EARLIER], [record(1, { key: "k", isTombstone: true })], []]),
      ],
    },
  ],
  [
    "groups-settled",
    "two have one partition",
    ofGroup([member("a", ["orders/0"]), member("b", ["orders/0"])]),
  ],
  ["groups-settled", "nobody has a partition", ofGroup([member("a", [])])],
  [
    "groups-settled",
    "somebody has what he doesn't read",
    ofGroup([member("a", ["orders/0"], { topics: ["other"] })]),
  ],
  ["groups-settled", "a rebalance never ends", ofGroup([member("a", ["orders/0"])], "reconciling")],
  ["transactions-ended", "one is decided for ever", { transactions: [transaction("prepare_commit")] }],
  ["transactions-ended", "one is older than it may become", { transactions: [transaction("ongoing", true)] }],
];

const SOUND: readonly Case[] = [
  ["converged", "all is well", { partitions: [partition()] }],
  ["replicas-agree", "all hold the same", { partitions: [partition()] }],
  [
    "replicas-agree",
    "what a later record replaced, or an abort, is still with one of them",
    {
      partitions: [
        partition({ isCompacted: true }, [
          [EARLIER, LATER],
          [LATER],
          [LATER, record(2, { key: "k", fate: "aborted" })],
        ]),
      ],
    },
  ],
  ["groups-settled", "each partition has an owner", ofGroup([member("a", ["orders/0"]), member("b", [])])],
  [
    "transactions-ended",
    "none is open",
    { transactions: [transaction("complete_abort"), transaction("ongoing")] },
  ],
];

function judged(look: Partial<EndLook>): Verdict {
  const verdict = new Verdict();
  verdict.run(END_CHECKERS, { partitions: [], groups: [], transactions: [], ...look });
  return verdict;
}

describe("a cluster that should have come together", () => {
  test.for(FLAGGED)("is flagged as %s: %s", ([checker, , look]) => {
    const flagged = judged(look).violations.filter((each) => each.checker === checker);
    expect(flagged.length).toBeGreaterThan(0);
    expect(flagged.every(({ evidence }) => evidence.length > 0)).toBe(true);
  });

  test.for(SOUND)("is nothing to %s, though it was asked: %s", ([checker, , look]) => {
    const verdict = judged(look);
    expect(verdict.violations).toEqual([]);
    expect(verdict.evaluations.get(checker)).toBeGreaterThan(0);
  });

  it("is one that every checker must flag, and one that it must not", () => {
    const names = END_CHECKERS.map(({ name }) => name).sort();
    expect([...new Set(FLAGGED.map(([checker]) => checker))].sort()).toEqual(names);
    expect([...new Set(SOUND.map(([checker]) => checker))].sort()).toEqual(names);
  });
});
