/** What is judged in the very instant in which something is sent, written or looked at. */
import { describe, expect, test } from "vitest";
import { Verdict } from "../src/checkers/checker.ts";
import { CompleteAfterMarkers } from "../src/checkers/state/complete-after-markers.ts";
import { MarkerAfterDecision } from "../src/checkers/state/decided-markers.ts";
import { EnoughBeforeAppend } from "../src/checkers/state/enough-in-sync.ts";
import { LagLeaves } from "../src/checkers/state/lag-leaves.ts";
import type { PartitionLook } from "../src/checkers/state/partition-look.ts";
import { keyed } from "./flagged-looks.ts";
import { batch, inTransaction, MadeLooks, type MadeReplica, marker, PLACE } from "./made-looks.ts";

type Made = Readonly<Record<number, MadeReplica>>;

function expectFlagged(verdict: Verdict): void {
  const [violation] = verdict.violations;
  expect(violation?.problem).toMatch(/./);
  expect(violation?.evidence.length).toBeGreaterThan(0);
}

function expectSound(verdict: Verdict, asked: number): void {
  expect(verdict.violations).toEqual([]);
  expect([...verdict.evaluations.values()]).toEqual([asked]);
}

describe("a look at who lags", () => {
  const BEHIND: Made = { 1: { batches: [batch(0), batch(1)] }, 2: { batches: [batch(0)] } };
  const EVEN: Made = { 1: { batches: [batch(0)] }, 2: { batches: [batch(0)] } };

  /** The second look is taken as it is judged; 10 ms may be lagged. */
  function judged(
    first: Made,
    second: Made,
    changes: { first?: Partial<PartitionLook>; second: Partial<PartitionLook> },
    { isBegunAnew = false } = {},
  ): Verdict {
    const verdict = new Verdict();
    const looks = new MadeLooks();
    const lagLeaves = new LagLeaves();
    lagLeaves.noted(looks.made(first, changes.first));
    if (isBegunAnew) lagLeaves.begunAnew();
    lagLeaves.refreshed(looks.made(second, changes.second), verdict.judgeOf(lagLeaves.name));
    return verdict;
  }

  test("is flagged where one stays in sync that lacks what its leader had before", () => {
    expectFlagged(judged(BEHIND, BEHIND, { second: { monotonicMs: 11, nowMs: 11 } }));
  });

  test("is flagged all the same where the time of day was set meanwhile", () => {
    for (const nowMs of [-5000, 5000])
      expectFlagged(judged(BEHIND, BEHIND, { second: { monotonicMs: 11, nowMs } }));
  });

  test("is none to be flagged where it lags for no longer than it may, or is out of sync", () => {
    expectSound(judged(EVEN, BEHIND, { second: { monotonicMs: 11, nowMs: 11 } }), 1);
    expectSound(judged(BEHIND, BEHIND, { second: { monotonicMs: 10, nowMs: 10 } }), 0);
    const out = { monotonicMs: 11, nowMs: 11, inSyncReplicas: [1] };
    expectSound(judged(BEHIND, BEHIND, { second: out }), 0);
  });

  test("begins anew with a leader, a process, and a broker that comes", () => {
    const later = { monotonicMs: 11, nowMs: 11 };
    for (const second of [{ leaderEpoch: 1 }, { life: 2 }])
      expectSound(judged(BEHIND, BEHIND, { second: { ...later, ...second } }), 0);
    expectSound(judged(BEHIND, BEHIND, { second: later }, { isBegunAnew: true }), 0);
  });
});

describe("a send with too few in sync", () => {
  function refused(inSync: number, code: string, { changes = 0 } = {}): Verdict {
    const verdict = new Verdict();
    const checker = new EnoughBeforeAppend();
    const send = {};
    checker.asked(send, { place: PLACE, inSync, minInsyncReplicas: 2, leaderEpoch: 0 });
    for (let change = 0; change < changes; change++) checker.changed(PLACE);
    checker.refused(send, code, verdict.judgeOf(checker.name));
    return verdict;
  }

  test("is flagged when it is refused behind the append", () => {
    expectFlagged(refused(1, "NOT_ENOUGH_REPLICAS_AFTER_APPEND"));
  });

  test("is none to be flagged when it is refused before it", () => {
    expectSound(refused(1, "NOT_ENOUGH_REPLICAS"), 1);
  });

  test("is none to be flagged when enough were in sync, then or meanwhile", () => {
    expectSound(refused(2, "NOT_ENOUGH_REPLICAS_AFTER_APPEND"), 0);
    expectSound(refused(1, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", { changes: 2 }), 0);
  });
});

describe("a marker", () => {
  const KEY = '{"kind":"transaction","transactional_id":"w0"}';
  const RECORDS = [keyed(0, KEY), keyed(1, "another"), keyed(2, KEY), keyed(3, "another")];

  function written(
    leader: MadeReplica,
    changes: Partial<PartitionLook> = {},
    { producerEpoch = 1, isCompleted = false, follower = {} as MadeReplica } = {},
  ): Verdict {
    const verdict = new Verdict();
    const checker = new MarkerAfterDecision();
    const identity = { transactionalId: "w0", producerId: 7 };
    checker.traced({ kind: "transaction_begun", ...identity, producerEpoch: 0 });
    if (isCompleted) {
      const facts = { producerEpoch: 1, committed: true, partitions: 1 };
      checker.traced({ kind: "transaction_completed", ...identity, ...facts });
    }
    const place = { topic: "orders", partition: 0, brokerId: 1, firstOffset: 0, offset: 1 };
    const facts = { producerId: 7, producerEpoch, coordinatorEpoch: 0, control: "commit" } as const;
    const look = new MadeLooks().made(
      { 1: { batches: RECORDS, ...leader }, 2: { batches: RECORDS, ...follower } },
      changes,
    );
    checker.written({ kind: "marker_written", ...place, ...facts }, [look], verdict.judgeOf(checker.name));
    return verdict;
  }

  test("is flagged before what decides it is visible, or on the disk", () => {
    expectFlagged(written({}, { highWatermark: 2 }));
    expectFlagged(written({ flushedOffset: 2 }));
    expectFlagged(written({}, {}, { follower: { flushedOffset: 2 } }));
  });

  test("is none to be flagged once what decides it is there for good", () => {
    expectSound(written({ flushedOffset: 3 }, { highWatermark: 3 }), 1);
    expectSound(written({ flushedOffset: 2 }, { waitsForDisk: false }), 1);
    const follower = { batches: [], flushedOffset: 0 };
    expectSound(written({}, { inSyncReplicas: [1], highWatermark: 4 }, { follower }), 1);
  });

  test("is not judged when another leads than the one that has decided, and of what was ended before", () => {
    expectSound(written({ flushedOffset: 2 }, { leaderEpoch: 1 }), 0);
    expectSound(written({ flushedOffset: 2 }, {}, { producerEpoch: 0 }), 0);
    expectSound(written({ flushedOffset: 2 }, {}, { isCompleted: true }), 0);
  });
});

describe("a transaction that is complete", () => {
  /** Of producer 7 in epoch 0. */
  function completed(
    leader: MadeReplica,
    changes: Partial<PartitionLook> = {},
    { coordinators = {} as Partial<PartitionLook> } = {},
  ): Verdict {
    const verdict = new Verdict();
    const checker = new CompleteAfterMarkers();
    const facts = { committed: true, cause: "request", partitions: 1 } as const;
    const identity = { transactionalId: "w0", producerId: 7, producerEpoch: 0 };
    checker.traced({ kind: "transaction_prepared", ...identity, ...facts });
    const looks = [new MadeLooks().made({ 1: leader }, changes)];
    const others = [new MadeLooks().made({ 1: {} }, coordinators)];
    checker.completed("w0", { looks, coordinators: others }, verdict.judgeOf(checker.name));
    return verdict;
  }

  const OPEN = { batches: [inTransaction(0)] };

  test("is flagged where the leader of a partition has it open", () => {
    expectFlagged(completed(OPEN));
  });

  test("is none to be flagged where its marker stands, another one is open, or all its records were deleted", () => {
    expectSound(completed({ batches: [inTransaction(0), marker(1, "commit")] }), 1);
    expectSound(completed({ batches: [inTransaction(0, 1)] }), 1);
    expectSound(completed({ ...OPEN, logStartOffset: 1 }), 1);
  });

  test("is not judged where one that was out of sync has led, there or at the coordinator's", () => {
    expectSound(completed(OPEN, { uncleanPromotions: 1 }), 0);
    expectSound(completed(OPEN, {}, { coordinators: { uncleanPromotions: 1 } }), 0);
    expectSound(completed(OPEN, { leaderId: null }), 0);
  });
});
