/** Histories that chance has drawn. A failure names its seed; MINIKAFKA_SEED repeats it, MINIKAFKA_HISTORIES asks for more. */
import { expect, test } from "vitest";
import { GroupHistory } from "./group-history.ts";
import { seedFromEnvironment } from "./log-world.ts";

const { MINIKAFKA_HISTORIES: wanted } = process.env;
const HISTORIES = wanted === undefined || wanted === "" ? 30 : Number(wanted);
const STEPS = 120;

test(
  "whatever chance draws, no two members believe in one partition, commits come from owners, generations grow, and all is shared out in the end",
  async () => {
    const first = seedFromEnvironment(1);
    const reached = new Map<string, number>();
    let [generations, releases, commits] = [0, 0, 0];
    for (let seed = first; seed < first + HISTORIES; seed++) {
      const history = new GroupHistory(seed);
      try {
        await history.open();
        for (let step = 0; step < STEPS; step++) await history.step();
        const verdict = await history.converge();
        generations += verdict.generations;
        releases += verdict.releases;
        commits += verdict.commits;
      } catch (problem) {
        const lines = history.done.join("\n  ");
        throw new Error(`history of seed ${seed} after\n  ${lines}\n${String(problem)}`, { cause: problem });
      }
      for (const { kind } of history.world.events.events) reached.set(kind, (reached.get(kind) ?? 0) + 1);
    }
    expect(generations, "generations").toBeGreaterThan(HISTORIES * 5);
    expect(releases, "partitions that were let go").toBeGreaterThan(HISTORIES);
    expect(commits, "commits").toBeGreaterThan(HISTORIES * 2);
    for (const kind of [
      "member_expired",
      "member_left",
      "leader_changed",
      "partitions_released",
      "topic_deleted",
      "topic_grown",
    ])
      expect(reached.get(kind) ?? 0, `histories that reach ${kind}`).toBeGreaterThan(HISTORIES / 10);
  },
  60_000 + HISTORIES * 1_000,
);

test("the same histories under immediate soon have two members that believe in one partition: the checks can fail", async () => {
  let seed = 1;
  const overlaps = async (): Promise<number> => {
    const history = new GroupHistory(seed, { rebalance: "immediate" });
    await history.open();
    for (let step = 0; step < STEPS; step++) await history.step();
    await history.converge();
    return history.witness.overlaps;
  };
  while (seed < 50 && (await overlaps()) === 0) seed++;
  expect(seed, "a history with an overlap").toBeLessThan(50);
}, 60_000);
