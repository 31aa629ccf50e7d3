/**
 * The lines `npm start` of README, typed as they stand at the end of `npm test`: nothing else may install and build beside them. Only the
 * ports and the folder are others.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { adviceOnceReady } from "./advice.mjs";
import { ROOT } from "./pinned-pnpm.mjs";

/** Against hanging. */
const READY_MS = 120_000;

/** @returns {string[]} each line once */
function linesOfReadme() {
  const text = readFileSync(join(ROOT, "README.md"), "utf8");
  return [...new Set(text.match(/^npm start.*$/gm) ?? [])];
}

/**
 * @param {string} line
 * @param {string} data a folder of its own
 * @returns {Promise<string | null>} what is wrong; `null` when a broker was ready, and has ended when it was told to
 */
function problemOf(line, data) {
  const flags = (line.split(" -- ")[1] ?? "").replace(/--kafka-port \d+/, "--kafka-port 0");
  const words = ["start", "--", ...flags.split(" ").filter(Boolean), "--port", "0", "--data", data];
  // A group of its own, since npm passes no signal on.
  const npm = spawn("npm", words, { cwd: ROOT, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const end = () => {
    try {
      if (npm.pid !== undefined) process.kill(-npm.pid, "SIGTERM");
    } catch {
      // It has ended.
    }
  };
  let said = "";
  let isReady = false;
  npm.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const tooLate = setTimeout(end, READY_MS);
  createInterface({ input: npm.stdout }).on("line", (text) => {
    if (adviceOnceReady(text) === null) return;
    isReady = true;
    end();
  });
  return new Promise((resolve) => {
    npm.on("error", (error) => resolve(error.message));
    npm.on("close", () => {
      clearTimeout(tooLate);
      resolve(isReady ? null : `no broker was ready: ${said.slice(-2000)}`);
    });
  });
}

/** @returns {Promise<number>} how many of the lines did not start a broker */
export async function failedStarts() {
  const lines = linesOfReadme();
  if (lines.length === 0) console.log("README has no line npm start any more.");
  let failed = lines.length === 0 ? 1 : 0;
  for (const line of lines) {
    const data = mkdtempSync(join(tmpdir(), "minikafka-start-"));
    const problem = await problemOf(line, data);
    rmSync(data, { recursive: true, force: true });
    console.log(problem === null ? `Typed: ${line}` : `Failed: ${line}: ${problem}`);
    if (problem !== null) failed += 1;
  }
  return failed;
}
