/** MINIKAFKA_SEED begins elsewhere, MINIKAFKA_SEEDS asks for so many, however long it takes. */
import { expect, test } from "vitest";
import { Judging } from "../src/checkers/judging.ts";
import { type Found, newTally, runOf, trySeed } from "../src/run/campaign.ts";
import { simulate } from "../src/run/simulation.ts";
import type { RunWorld } from "../src/run/world.ts";

const { MINIKAFKA_SEED: first = "1", MINIKAFKA_SEEDS: wanted } = process.env;
/** On a busy machine fewer are tried. */
const SEEDS_MIN = 10;
const SEEDS_MAX = 80;
const ENOUGH_MS = 20_000;
const NOBODY = { afterAct: () => {}, atEnd: async () => {} };

test(
  "a bounded number of seeds breaks no promise, and everything comes together after the faults",
  async () => {
    const tally = newTally();
    const found: Found[] = [];
    const untilMs = performance.now() + ENOUGH_MS;
    const isEnough = () =>
      wanted === undefined
        ? tally.seeds >= SEEDS_MAX || (tally.seeds >= SEEDS_MIN && performance.now() > untilMs)
        : tally.seeds >= Number(wanted);
    for (let seed = Number(first); !isEnough(); seed++) {
      const one = await trySeed(seed, tally);
      if (one !== null) found.push(one);
    }
    expect(found, `npm run simulate -- --seed ${found[0]?.seed} --seeds 1`).toEqual([]);
    for (const mark of ["duplicate_answered", "transaction_completed", "generation_started", "recovered"])
      expect(tally.marks[mark], mark).toBeGreaterThan(0);
  },
  180_000 + Number(wanted ?? 0) * 2_000,
);

test("the same seed gives the same run, to the last event; another seed gives another", async () => {
  const hashes = new Set<number | null>();
  for (let seed = 1; seed <= 4; seed++) {
    const one = await simulate(runOf(seed), { judges: NOBODY, isHashed: true });
    const other = await simulate(runOf(seed), { judges: NOBODY, isHashed: true });
    expect(other.world.witness.hash, `seed ${seed}`).toBe(one.world.witness.hash);
    expect(other.world.recorder.operations).toEqual(one.world.recorder.operations);
    hashes.add(one.world.witness.hash);
  }
  expect(hashes.size).toBe(4);
}, 180_000);

test("where acknowledgements do not wait for the disk, and nobody says so, a promise is soon broken: the judges can fail", async () => {
  const breaks = async (seed: number): Promise<boolean> => {
    const { shape, script } = runOf(seed);
    const judging = new Judging();
    const atEnd = async ({ recorder }: RunWorld) => {
      const happenings = recorder.happenings.map((happening) =>
        happening.kind === "process_started"
          ? { ...happening, dials: { ...happening.dials, flush: "ack" as const } }
          : happening,
      );
      judging.judgeHistory({ operations: recorder.operations, happenings });
    };
    const lying = { ...shape, config: { ...shape.config, flush: "os" as const } };
    await simulate({ seed, shape: lying, script }, { judges: { ...NOBODY, atEnd } });
    return judging.verdict.violations.some(({ checker }) => checker === "lost-write");
  };
  let seed = 1;
  while (seed < 60 && !(await breaks(seed))) seed++;
  expect(seed, "a seed that loses").toBeLessThan(60);
}, 120_000);

test("what judges ask at the end may take time: the disk and the clock go on until they are answered", async () => {
  const run = runOf(1);
  let askedMs = -1;
  let answeredMs = -1;
  const atEnd = ({ timeline }: RunWorld) =>
    new Promise<void>((resolve) => {
      askedMs = timeline.nowMs;
      timeline.plan(70, () => {
        answeredMs = timeline.nowMs;
        resolve();
      });
    });
  const { violation } = await simulate(run, { judges: { ...NOBODY, atEnd } });
  expect(violation).toBeNull();
  expect(answeredMs - askedMs).toBe(70);
});

test("an answer at the end that never comes breaks a promise, and the run ends", async () => {
  const atEnd = () => new Promise<void>(() => {});
  const { violation } = await simulate(runOf(1), { judges: { ...NOBODY, atEnd } });
  expect(violation?.what).toBe("unanswered");
});
