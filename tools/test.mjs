/** `npm test [-- FLAGS OF TURBO]`: installs, builds, lints, checks types, tidies, tests, and says in one line how it went. */
import "./node-version.mjs";
import { ROOT, runTool } from "./pinned-pnpm.mjs";
import { install } from "./set-up.mjs";
import { countResults, forgetResults, verdict } from "./test-results.mjs";
import { workspaceFolders } from "./workspace-folders.mjs";

const TASKS = ["build", "lint", "types", "tidy", "test"];

/** @returns {Promise<number>} the exit code */
async function main() {
  if (!(await install())) return 1;
  forgetResults(ROOT, workspaceFolders(ROOT));
  // Two at a time, since that many cores are what we count on. A failure does not hide the others.
  const how = [
    "--concurrency=2",
    "--continue=dependencies-successful",
    "--output-logs=new-only",
    "--summarize",
  ];
  const code = await runTool(["turbo", "run", ...TASKS, ...how, ...process.argv.slice(2)]);
  const totals = countResults(ROOT);
  // turbo failing without any task that failed is a failure too, and so is a run without a test.
  if (code !== 0 && totals.failed === 0) totals.failed = 1;
  if (totals.failedTasks.length > 0) console.log(`Failed: ${totals.failedTasks.join(", ")}`);
  if (totals.passed + totals.failed === 0) console.log("No test ran.");
  console.log(verdict(totals));
  return totals.failed > 0 || totals.passed === 0 ? 1 : 0;
}

process.exitCode = await main();
