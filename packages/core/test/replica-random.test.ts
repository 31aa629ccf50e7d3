/** Histories that chance has drawn. A failure names its seed; MINIKAFKA_SEED repeats it, MINIKAFKA_HISTORIES asks for more. */
import { AssertionError } from "node:assert";
import { expect, test } from "vitest";
import { seedFromEnvironment } from "./log-world.ts";
import { ReplicaHistory } from "./replica-history.ts";

const { MINIKAFKA_HISTORIES: wanted } = process.env;
const HISTORIES = wanted === undefined || wanted === "" ? 80 : Number(wanted);
const STEPS = 50;

async function live(history: ReplicaHistory): Promise<void> {
  await history.open();
  for (let step = 0; step < STEPS; step++) await history.step();
  await history.converge();
}

async function expectToHold(seed: number, history: ReplicaHistory): Promise<void> {
  try {
    await live(history);
  } catch (problem) {
    const lines = history.done.join("\n  ");
    throw new Error(`history of seed ${seed} after\n  ${lines}\n${String(problem)}`, { cause: problem });
  }
}

test(
  "whatever chance draws, in-sync replicas agree, the high watermark only grows, and nothing acknowledged by all is lost",
  async () => {
    const first = seedFromEnvironment(1);
    const reached = new Map<string, number>();
    let [acknowledged, restored, duplicates, tombstones] = [0, 0, 0, 0];
    for (let seed = first; seed < first + HISTORIES; seed++) {
      const history = new ReplicaHistory(seed);
      await expectToHold(seed, history);
      acknowledged += history.acknowledged.size;
      restored += history.restored;
      duplicates += history.producers.duplicates;
      for (const { tombstonesDropped } of history.world.events.of("compacted"))
        tombstones += tombstonesDropped;
      for (const { kind } of history.world.events.events) reached.set(kind, (reached.get(kind) ?? 0) + 1);
    }
    expect(acknowledged).toBeGreaterThan(HISTORIES);
    expect(restored, "folders that became older ones").toBeGreaterThan(HISTORIES / 20);
    expect(duplicates, "retries that were known").toBeGreaterThan(HISTORIES / 2);
    expect(tombstones, "tombstones that compaction dropped").toBeGreaterThan(HISTORIES / 10);
    expect(reached.get("tombstones_held"), "tombstones that it kept").toBeGreaterThan(HISTORIES / 40);
    for (const kind of [
      "leader_changed",
      "isr_changed",
      "reconciled",
      "truncated",
      "replicated",
      "broker_stopped",
      "log_start_moved",
      "segment_deleted",
      "compacted",
    ])
      expect(reached.get(kind) ?? 0, `histories that reach ${kind}`).toBeGreaterThan(HISTORIES / 10);
  },
  60_000 + HISTORIES * 300,
);

test(
  "the same holds when folders are put back from copies of any age, again and again, as long as one in sync keeps its own",
  async () => {
    const first = seedFromEnvironment(1);
    let restored = 0;
    for (let seed = first; seed < first + HISTORIES; seed++) {
      const history = new ReplicaHistory(seed, {}, { anyFolders: true });
      await expectToHold(seed, history);
      restored += history.restored;
    }
    expect(restored, "folders that became older ones").toBeGreaterThan(HISTORIES);
  },
  60_000 + HISTORIES * 300,
);

test.each([false, true])(
  "whatever chance draws, who reads committed records gets those of transactions that commit, and each has one marker in a partition (folders of any age put back: %s)",
  async (anyFolders) => {
    const first = seedFromEnvironment(1);
    let [committed, aborted, heldBack, restored] = [0, 0, 0, 0];
    for (let seed = first; seed < first + HISTORIES / 2; seed++) {
      const history = new ReplicaHistory(seed, {}, { withTransactions: true, anyFolders });
      await expectToHold(seed, history);
      committed += history.transactions?.count("commit") ?? 0;
      aborted += history.transactions?.count("abort") ?? 0;
      heldBack += history.world.events.of("last_stable_offset_moved").length;
      restored += history.restored;
    }
    expect(committed, "transactions that committed").toBeGreaterThan(HISTORIES / 4);
    expect(aborted, "transactions that aborted").toBeGreaterThan(anyFolders ? HISTORIES / 4 : HISTORIES / 2);
    expect(heldBack, "moves of the last stable offset").toBeGreaterThan(HISTORIES / 2);
    if (anyFolders) expect(restored, "folders that became older ones").toBeGreaterThan(HISTORIES / 2);
  },
  60_000 + HISTORIES * 300,
);

test("the same histories under the dial that cuts at the high watermark soon lose what was acknowledged: the checks can fail", async () => {
  const lost = async (seed: number): Promise<boolean> => {
    const history = new ReplicaHistory(seed, { reconciliation: "high-watermark" });
    try {
      await live(history);
      return false;
    } catch (problem) {
      return problem instanceof AssertionError;
    }
  };
  let seed = 1;
  while (seed < 100 && !(await lost(seed))) seed++;
  expect(seed, "a history that loses").toBeLessThan(100);
}, 60_000);
