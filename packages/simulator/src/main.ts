/** `npm run simulate -- [--seed N] [--seeds M]`: runs of the simulator, and what they found. */
import { parseArgs } from "node:util";
import { simulateSeed } from "./run/seed.ts";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, seeds: { type: "string", default: "100" } },
});

async function main(): Promise<number> {
  const first = Number(values.seed);
  const count = Number(values.seeds);
  const beganMs = performance.now();
  let violations = 0;
  for (let seed = first; seed < first + count; seed++) {
    const { violation, world } = await simulateSeed(seed);
    if (violation === null) continue;
    violations++;
    console.log(`seed ${seed}, at ${world.timeline.nowMs} ms: ${violation.what}\n${violation.evidence}`);
    console.log(`  npm run simulate -- --seed ${seed} --seeds 1`);
  }
  const seconds = (performance.now() - beganMs) / 1000;
  console.log(
    `${count} seeds in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(1)} a second), ${violations} violations`,
  );
  return violations > 0 ? 1 : 0;
}

process.exitCode = await main();
