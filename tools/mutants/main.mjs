/**
 * `npm run mutants [-- NAME...] [-- --seeds N]`: plants each mutation in the kernel and lets the simulator hunt for it, first with the
 * seed that found it before, then with seeds from 1 on. Red when one survives that is
 * not known to, or when a seed is red without any.
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

const USAGE = `npm run mutants [-- [NAME...] [--seeds N] [--workers N]]; names:\n  ${MUTATIONS.map(({ name }) => name).join("\n  ")}`;

/** Ends the process for help, and for what cannot be meant. */
function asked() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        seeds: { type: "string", default: "3000" },
        workers: { type: "string", default: "2" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    for (const name of positionals)
      if (!MUTATIONS.some((mutation) => mutation.name === name))
        throw new Error(`no mutation is named ${name}`);
    for (const name of /** @type {const} */ (["seeds", "workers"]))
      if (!(Number(values[name]) >= 1))
        throw new Error(`--${name} is ${values[name]}; expected a number from 1`);
    return { values, positionals };
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const { values, positionals } = asked();
const chosen = MUTATIONS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const width = Math.max(...chosen.map(({ name }) => name.length));

/**
 * @param {import("./mutation.mjs").Mutation} mutation
 * @returns {Promise<keyof typeof verdicts>}
 */
async function judge(mutation) {
  const file = join(folder, `${mutation.name}.mjs`);
  await writeMutant(mutation, file);
  const known = mutation.seed === undefined ? null : await huntBeyond(file, mutation.seed, 1);
  const found = known ?? (await huntBeyond(file, 1, Number(values.seeds)));
  rmSync(file);
  const name = mutation.name.padEnd(width);
  if (found === null)
    console.log(`${name}  SURVIVES ${values.seeds} seeds: ${mutation.survives ?? mutation.sentence}`);
  else {
    const moved = known === null && mutation.seed !== undefined ? ` (was ${mutation.seed})` : "";
    console.log(`${name}  seed ${found.seed}${moved}  ${found.seconds.toFixed(1)} s  ${found.what}`);
  }
  if (found !== null) return "found";
  return mutation.survives === undefined ? "lost" : "known to survive";
}

/**
 * The first of these seeds that finds something with the mutation, and nothing without it: what is wrong without it was not found by it.
 * @param {string} file
 * @param {number} first
 * @param {number} seeds
 */
async function huntBeyond(file, first, seeds) {
  const end = first + seeds;
  for (let from = first; from < end; ) {
    const found = await hunt(file, from, end - from);
    if (found === null) return null;
    const without = await hunt(unmutated, found.seed, 1);
    if (without === null) return found;
    console.log(`seed ${found.seed} is red without a mutation: ${without.what}`);
    sound = false;
    from = found.seed + 1;
  }
  return null;
}

const folder = mkdtempSync(join(tmpdir(), "minikafka-mutants-"));
const unmutated = join(folder, "unmutated.mjs");
const verdicts = { found: 0, lost: 0, "known to survive": 0 };
let sound = true;
try {
  await writeMutant(null, unmutated);
  const waiting = [...chosen];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      verdicts[await judge(next)] += 1;
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, work));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const survivors = verdicts["known to survive"];
console.log(
  `${verdicts.found} of ${chosen.length} mutations were found${survivors > 0 ? `; ${survivors} known to survive` : ""}`,
);
process.exitCode = verdicts.lost > 0 || !sound ? 1 : 0;
