/**
 * One verdict out of many runs: turbo's summary says which tasks ran and how they ended, and each test task left
 * a `test-results.json` (vitest's JSON report) in its folder. Every failure counts at least once: a failed test, or
 * a task that failed without one (lint, types, a build, a test file that could not be loaded).
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const RESULTS = "test-results.json";
const SUMMARIES = join(".turbo", "runs");

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Totals
 * @typedef {{ taskId: string, directory: string, execution: { exitCode: number | null } | null }} Task
 * @typedef {{ ancestorTitles: string[], title: string, status: string }} Assertion
 * @typedef {{ name: string, status: string, assertionResults: Assertion[] }} TestFile
 * @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
 *   testResults: TestFile[] }} Report
 */

/**
 * Removes what earlier runs left, so that only this run is counted.
 * @param {string} root
 * @param {readonly string[]} folders of packages, relative to the root
 */
export function forgetResults(root, folders) {
  for (const folder of ["", ...folders]) rmSync(join(root, folder, RESULTS), { force: true });
  rmSync(join(root, SUMMARIES), { recursive: true, force: true });
}

/**
 * @param {string} root
 * @returns {Task[]} the tasks that turbo started in its last run, or took from its cache
 */
function lastTasks(root) {
  const folder = join(root, SUMMARIES);
  const [name] = existsSync(folder) ? readdirSync(folder) : [];
  return name === undefined ? [] : JSON.parse(readFileSync(join(folder, name), "utf8")).tasks;
}

/**
 * @param {string} root
 * @param {Task} task
 * @returns {Report | null}
 */
function reportOf(root, task) {
  const file = join(root, task.directory, RESULTS);
  if (!/#(test|tidy)$/.test(task.taskId) || !existsSync(file)) return null;
  return JSON.parse(readFileSync(file, "utf8"));
}

/**
 * @param {Report} report
 * @returns {number} its failed tests, and its files that failed without one: they could not be loaded or prepared
 */
function failuresOf({ numFailedTests, testResults }) {
  const broken = testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.every(({ status }) => status !== "failed"),
  );
  return numFailedTests + broken.length;
}

/**
 * @param {string} root
 * @returns {Totals & { failedTasks: string[] }}
 */
export function countResults(root) {
  const totals = { passed: 0, failed: 0, skipped: 0, failedTasks: /** @type {string[]} */ ([]) };
  for (const task of lastTasks(root)) {
    const report = reportOf(root, task);
    const failures = report === null ? 0 : failuresOf(report);
    totals.passed += report === null ? 0 : report.numPassedTests;
    totals.skipped += report === null ? 0 : report.numPendingTests + report.numTodoTests;
    const taskFailed = task.execution !== null && task.execution.exitCode !== 0;
    totals.failed += Math.max(failures, taskFailed ? 1 : 0);
    if (taskFailed) totals.failedTasks.push(task.taskId);
  }
  return totals;
}

/**
 * @param {string} root
 * @returns {{ directory: string, report: Report }[]} of the packages whose tests ran, or came from turbo's cache
 */
export function reportsOfRun(root) {
  return lastTasks(root).flatMap((task) => {
    const report = reportOf(root, task);
    return report === null ? [] : [{ directory: task.directory, report }];
  });
}

/**
 * @param {string} root
 * @param {readonly string[]} folders of packages, relative to the root
 * @returns {string[]} those whose tests were not a part of the last run, and "tidy" where that was not
 */
export function leftOut(root, folders) {
  const tasks = lastTasks(root);
  const tested = new Set(
    tasks.filter(({ taskId }) => taskId.endsWith("#test")).map((task) => task.directory),
  );
  const have = folders.filter((folder) => {
    const { scripts } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return scripts?.test !== undefined;
  });
  const tidy = tasks.some(({ taskId }) => taskId.endsWith("#tidy")) ? [] : ["tidy"];
  return [...have.filter((folder) => !tested.has(folder)), ...tidy];
}

/**
 * The closing line; tools that read test output know this form.
 * @param {Totals} totals
 * @returns {string}
 */
export function verdict({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
