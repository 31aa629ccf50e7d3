/** Histories that chance has drawn. A failure names its seed; MINIKAFKA_SEED repeats it, MINIKAFKA_HISTORIES asks for more. */
import { AssertionError } from "node:assert";
import { expect, test } from "vitest";
import { seedFromEnvironment } from "./log-world.ts";
import { MixedHistory } from "./transaction-mixed-history.ts";

const { MINIKAFKA_HISTORIES: wanted } = process.env;
const HISTORIES = wanted === undefined || wanted === "" ? 15 : Number(wanted);
const STEPS = 120;

async function live(history: MixedHistory): Promise<void> {
  try {
    await history.open();
    for (let step = 0; step < STEPS; step++) await history.step();
    await history.converge();
    await history.lastly();
  } catch (problem) {
    const lines = history.done.join("\n  ");
    throw new Error(`a history after\n  ${lines}\n${String(problem)}`, { cause: problem });
  }
}

test(
  "whatever chance draws, each transaction is all there or not at all for every reader, as it was answered, and nobody is held back in the end",
  async () => {
    const first = seedFromEnvironment(1);
    const reached = new Map<string, number>();
    const fates = { commit: 0, abort: 0, open: 0 };
    for (let seed = first; seed < first + HISTORIES; seed++) {
      const history = new MixedHistory(seed);
      await live(history).catch((problem: unknown) => {
        throw new Error(`seed ${seed}: ${String(problem)}`, { cause: problem });
      });
      for (const { fate } of history.model.transactions.values()) fates[fate ?? "open"]++;
      for (const event of history.world.events.events) {
        const { kind } = event;
        const name = kind === "transaction_prepared" ? `ended by ${event.cause}` : kind;
        reached.set(name, (reached.get(name) ?? 0) + 1);
      }
    }
    expect(fates.commit, "commits").toBeGreaterThan(HISTORIES / 2);
    expect(fates.abort, "aborts").toBeGreaterThan(HISTORIES / 2);
    for (const kind of [
      "marker_written",
      "leader_changed",
      "compacted",
      "offsets_staged",
      "ended by request",
      "ended by fenced",
      "ended by timeout",
      "ended by operator",
      "broker_stopped",
      "recovered",
      "transaction_completed",
      "last_stable_offset_moved",
      "segment_deleted",
      "transactional_id_forgotten",
      "fault_fired",
    ])
      expect(reached.get(kind) ?? 0, `histories that reach ${kind}`).toBeGreaterThan(HISTORIES / 10);
  },
  60_000 + HISTORIES * 2_000,
);

test("the same histories where an acknowledgement does not wait for the disk soon break a promise: the checks can fail", async () => {
  const breaks = async (seed: number): Promise<boolean> => {
    try {
      await live(new MixedHistory(seed, { flush: "os" }));
      return false;
    } catch (problem) {
      return problem instanceof Error && problem.cause instanceof AssertionError;
    }
  };
  let seed = 1;
  while (seed < 100 && !(await breaks(seed))) seed++;
  expect(seed, "a history that breaks one").toBeLessThan(100);
}, 60_000);
