/** `npm test [-- FLAGS OF TURBO]`: installs, builds, lints, checks types, tidies, tests, and says in one line how it went. */
import "./node-version.mjs";
import { ROOT, runTool } from "./pinned-pnpm.mjs";
import { install } from "./set-up.mjs";
import { failedStarts } from "./start-trial.mjs";
import { countResults, forgetResults, leftOut, reportsOfRun, verdict } from "./test-results.mjs";
import { workspaceFolders } from "./workspace-folders.mjs";

const TASKS = ["build", "lint", "types", "tidy", "test"];

/**
 * What cites tests is judged when all of them were run: by a part of them nothing is proven, nor disproven.
 * @param {readonly string[]} flags
 * @returns {Promise<number>} how many proofs of the evidence did not hold
 */
async function brokenProofs(flags) {
  const missing = leftOut(ROOT, workspaceFolders(ROOT));
  // Behind "--" stands what vitest is told, such as the name of one test.
  if (missing.length > 0 || flags.includes("--")) {
    console.log(`Evidence: not judged, since only a part of the tests was to run.`);
    return 0;
  }
  // Only after the installation can this be loaded.
  const { readEvidence } = await import("./evidence/read.mjs");
  const { judgeProofs, proofsTable } = await import("./evidence/proofs.mjs");
  const proofs = judgeProofs(readEvidence(ROOT), reportsOfRun(ROOT));
  console.log(proofsTable(proofs));
  return proofs.problems.length;
}

/** @returns {Promise<number>} the exit code */
async function main() {
  if (!(await install())) return 1;
  const flags = process.argv.slice(2);
  forgetResults(ROOT, workspaceFolders(ROOT));
  // Two at a time, since that many cores are what we count on. A failure does not hide the others.
  const how = [
    "--concurrency=2",
    "--continue=dependencies-successful",
    "--output-logs=new-only",
    "--summarize",
  ];
  const code = await runTool(["turbo", "run", ...TASKS, ...how, ...flags]);
  const totals = countResults(ROOT);
  // turbo failing without any task that failed is a failure too, and so is a run without a test.
  if (code !== 0 && totals.failed === 0) totals.failed = 1;
  const broken = await brokenProofs(flags);
  // What failed is counted; a proof that does not hold where all passed is a failure of its own.
  if (totals.failed === 0) totals.failed = broken;
  if (totals.failed === 0) totals.failed = await failedStarts();
  if (totals.failedTasks.length > 0) console.log(`Failed: ${totals.failedTasks.join(", ")}`);
  if (totals.passed + totals.failed === 0) console.log("No test ran.");
  console.log(verdict(totals));
  return totals.failed > 0 || totals.passed === 0 ? 1 : 0;
}

process.exitCode = await main();
