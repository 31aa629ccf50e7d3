/**
 * `npm run mutants [-- NAME...] [-- --seeds N]`: plants each mutation in the kernel and lets the simulator hunt for it, first with the
 * seed that found it before, then with seeds from 1 on. Red when one survives.
 *
 * Owns a temporary folder, gone at the end. Never changes the tree.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hunt } from "./hunt.mjs";
import { writeMutant } from "./mutant.mjs";
import { MUTATIONS } from "./mutations.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: "string", default: "3000" }, workers: { type: "string", default: "2" } },
});
const unknown = positionals.filter((name) => !MUTATIONS.some((mutation) => mutation.name === name));
if (unknown.length > 0) throw new Error(`no mutation is called ${unknown.join(", ")}`);
const chosen = MUTATIONS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const width = Math.max(...chosen.map(({ name }) => name.length));

/** @param {import("./mutation.mjs").Mutation} mutation */
async function judge(mutation) {
  const file = join(folder, `${mutation.name}.mjs`);
  await writeMutant(mutation, file);
  const known = mutation.seed === undefined ? null : await hunt(file, mutation.seed, 1);
  const found = known ?? (await hunt(file, 1, Number(values.seeds)));
  rmSync(file);
  const name = mutation.name.padEnd(width);
  if (found === null) console.log(`${name}  SURVIVES ${values.seeds} seeds: ${mutation.sentence}`);
  else {
    const moved = known === null && mutation.seed !== undefined ? ` (was ${mutation.seed})` : "";
    console.log(`${name}  seed ${found.seed}${moved}  ${found.seconds.toFixed(1)} s  ${found.what}`);
  }
  return found !== null;
}

const folder = mkdtempSync(join(tmpdir(), "minikafka-mutants-"));
let survivors = 0;
try {
  const waiting = [...chosen];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (!(await judge(next))) survivors += 1;
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, work));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${chosen.length - survivors} of ${chosen.length} mutations were found`);
process.exitCode = survivors > 0 ? 1 : 0;
