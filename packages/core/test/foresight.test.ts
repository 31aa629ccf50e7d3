/** What is foretold of the steps, held beside what they do, in histories that chance has drawn. MINIKAFKA_SEED repeats one. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { DutyName } from "../src/cluster/pending-step.ts";
import { SeededRandom } from "../src/env/random.ts";
import { ForesightJudge } from "./foresight-judge.ts";
import { GroupHistory } from "./group-history.ts";
import { seedFromEnvironment } from "./log-world.ts";
import { ReplicaHistory } from "./replica-history.ts";
import { MixedHistory } from "./transaction-mixed-history.ts";
import type { World } from "./world.ts";

const { MINIKAFKA_HISTORIES: wanted } = process.env;
const HISTORIES = wanted === undefined || wanted === "" ? 4 : Number(wanted);
const STEPS = 60;
/** A history does not know that what it has committed may be forgotten. foresight-groups.test.ts does. */
const FORGETTING: readonly DutyName[] = ["expire_offsets"];

interface History {
  readonly world: World;
  readonly done: string[];
  cluster: BrokerCluster;
  open(): Promise<void>;
  step(): Promise<void>;
}

interface Limits {
  /** Steps after which the history would miss what it relies on. */
  readonly spared?: readonly DutyName[];
  /** Called after time has passed that the history knows nothing of. */
  readonly afterTime?: () => void;
}

/** Between the steps of a history: now and then a step that is foretold, all of them, or time. */
async function judge(
  history: History,
  seed: number,
  { spared = [], afterTime }: Limits,
): Promise<ForesightJudge> {
  const judged = new ForesightJudge(history.world, () => history.cluster);
  const random = new SeededRandom(seed);
  await history.open();
  for (let step = 0; step < STEPS; step++) {
    await history.step();
    history.world.faults.disarm();
    history.world.disk.stopFailing();
    const choice = random.below(10);
    const most = choice < 6 ? 1 : choice < 8 ? 40 : 0;
    for (let taken = 0; taken < most; taken++) {
      const all = await judged.look();
      const pending = all.filter(({ operation }) => !spared.includes(operation));
      const chosen = pending[most === 1 ? random.below(Math.max(pending.length, 1)) : 0];
      history.done.push(`  foretold: ${JSON.stringify(chosen)}`);
      if (chosen !== undefined) await judged.take(chosen);
      else if (all.length === 0) await judged.takeAllInVain();
      if (chosen === undefined) break;
    }
    if (choice !== 8) continue;
    await judged.passTime();
    afterTime?.();
  }
  return judged;
}

async function judgeAll<Kind extends History>(
  historyOf: (seed: number) => Kind,
  limitsOf: (history: Kind) => Limits = () => ({}),
): Promise<Map<string, number>> {
  const first = seedFromEnvironment(1);
  const reached = new Map<string, number>();
  const count = (what: string, times: number) => reached.set(what, (reached.get(what) ?? 0) + times);
  for (let seed = first; seed < first + HISTORIES; seed++) {
    const history = historyOf(seed);
    try {
      const { taken, quiet } = await judge(history, seed, limitsOf(history));
      for (const [operation, times] of taken) count(operation, times);
      count("quiet", quiet);
    } catch (problem) {
      const lines = history.done.slice(-25).join("\n  ");
      throw new Error(`history of seed ${seed} after\n  ${lines}\n${(problem as Error).stack}`, {
        cause: problem,
      });
    }
  }
  return reached;
}

function expectReached(reached: ReadonlyMap<string, number>, what: readonly string[]): void {
  for (const each of what) expect(reached.get(each) ?? 0, `how often ${each}`).toBeGreaterThan(0);
}

test.each([false, true])(
  "what is foretold of a replicated partition is what happens, and with nothing pending no step changes anything (transactions: %s)",
  async (withTransactions) => {
    const reached = await judgeAll(
      (seed) => new ReplicaHistory(seed, {}, { withTransactions }),
      () => ({ spared: ["expire_transactions", "expire_producers"] }),
    );
    expectReached(reached, [
      "replicate_once",
      "refresh_isr",
      "flush_logs",
      "apply_retention",
      "compact",
      "quiet",
    ]);
  },
  60_000,
);

test("what is foretold of transactions is what happens, and with nothing pending no step changes anything", async () => {
  const reached = await judgeAll(
    (seed) => new MixedHistory(seed),
    ({ model }) => ({ spared: FORGETTING, afterTime: () => model.timeIsOver(Number.POSITIVE_INFINITY) }),
  );
  expectReached(reached, ["replicate_once", "expire_transactions", "expire_producers", "quiet"]);
}, 60_000);

test("what is foretold of groups is what happens, and with nothing pending no step changes anything", async () => {
  const reached = await judgeAll(
    (seed) => new GroupHistory(seed),
    () => ({ spared: FORGETTING }),
  );
  expectReached(reached, ["expire_members", "replicate_once", "quiet"]);
}, 60_000);
