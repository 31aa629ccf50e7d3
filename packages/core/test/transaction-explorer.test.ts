/**
 * The process dies, or the power goes, before any change of the disk in the life of a transaction: while it begins, writes, sends
 * offsets, commits, aborts, is fenced, runs out of time, is recovered, or while another replica takes over. `npm test` tries some of
 * the crashes, by a seed; MINIKAFKA_SEED draws others, and with MINIKAFKA_EXPLORE=all (`npm run explore-transactions`) all are tried.
 */
import { describe, expect, test } from "vitest";
import type { Crash } from "../src/env/memory-nodes.ts";
import type { SeededRandom } from "../src/env/random.ts";
import { seedFromEnvironment } from "./log-world.ts";
import { type Explored, explore } from "./transaction-explorer.ts";
import { WORKLOADS, type Workload } from "./transaction-workloads.ts";

const isAll = process.env.MINIKAFKA_EXPLORE === "all";
const TIME_MS = isAll ? 3_600_000 : 60_000;
const seed = seedFromEnvironment(1);

/** One of `number` crashes. */
const share = (number: number) => (_: Crash, random: SeededRandom) => random.below(number) === 0;
const CASES = WORKLOADS.flatMap((workload) =>
  workload.brokers.map((brokers): [string, number, Workload] => [workload.name, brokers, workload]),
);

function tell(what: string, explored: Explored): void {
  if (isAll) console.info(`${what}: ${JSON.stringify(explored)}`);
}

describe("after a crash at any instant each transaction is all there or not at all, once recovered and once more", () => {
  test.for(CASES)("%s, brokers: %i", { timeout: TIME_MS }, async ([name, brokers, workload]) => {
    const isTried = share(isAll ? 1 : brokers === 1 ? 50 : 150);
    const explored = await explore({ workload, brokers, isTried, seed });
    tell(`${name}, brokers: ${brokers}`, explored);
    expect(explored.instants).toBeGreaterThan(70);
    if (isAll) expect(explored.crashes).toBe(4 * explored.instants);
    else expect(explored.crashes).toBeGreaterThan(0);
  });
});

describe("the same when the recovery is interrupted by another crash", () => {
  test.for(CASES.filter(([, brokers]) => brokers === 1))(
    "%s",
    { timeout: TIME_MS },
    async ([name, brokers, workload]) => {
      // Those of one life in full, which takes its time.
      const isTried = share(isAll ? (workload === WORKLOADS[0] ? 1 : 5) : 100);
      const explored = await explore({ workload, brokers, isTried, isTwice: true, seed });
      tell(`${name}, twice`, explored);
      if (isAll) expect(explored.secondCrashes).toBeGreaterThan(explored.crashes);
    },
  );
});

test("where an acknowledgement does not wait for the disk a power cut takes transactions: the search can fail", async () => {
  const [workload] = WORKLOADS;
  if (workload === undefined) throw new Error("there is no workload");
  const isTried = ({ mode }: Crash) => mode === "lost";
  const lossy = { workload, brokers: 1, isTried, seed, flush: "os" as const };
  await expect(explore(lossy)).rejects.toThrow("a crash (lost) before");
});
