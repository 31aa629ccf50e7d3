/** `npm run simulate -- [--seed N] [--seeds M]`: runs of the simulator, and what they found. */
import { parseArgs } from "node:util";
import { RunJudges } from "./checkers/run-judges.ts";
import { simulateSeed } from "./run/seed.ts";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, seeds: { type: "string", default: "100" } },
});

async function main(): Promise<number> {
  const first = Number(values.seed);
  const count = Number(values.seeds);
  const beganMs = performance.now();
  let violations = 0;
  const asked = new Map<string, number>();
  for (let seed = first; seed < first + count; seed++) {
    const judges = new RunJudges();
    const { violation, world } = await simulateSeed(seed, { judges });
    for (const [name, times] of judges.verdict.evaluations) asked.set(name, (asked.get(name) ?? 0) + times);
    if (violation === null) continue;
    violations++;
    console.log(`seed ${seed}, at ${world.timeline.nowMs} ms: ${violation.what}\n${violation.evidence}`);
    console.log(`  npm run simulate -- --seed ${seed} --seeds 1`);
  }
  const seconds = (performance.now() - beganMs) / 1000;
  console.log(
    `${count} seeds in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(1)} a second), ${violations} violations`,
  );
  for (const [name, times] of asked) console.log(`${name}: asked ${times} times`);
  return violations > 0 ? 1 : 0;
}

process.exitCode = await main();
