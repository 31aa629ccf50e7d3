import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { countResults, forgetResults, leftOut, reportsOfRun, verdict } from "./test-results.mjs";

interface Made {
  /** Exit codes by task, in a folder named like the task's package. */
  readonly tasks: Readonly<Record<string, number>>;
  /** Passed, failed, skipped and to-do tests, by folder; then files that could not be loaded. */
  readonly reports: Readonly<Record<string, readonly [number, number, number, number, number?]>>;
}

function makeRun({ tasks, reports }: Made): string {
  const root = mkdtempSync(join(tmpdir(), "minikafka-results-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, value: object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(value));
  };
  const summary = Object.entries(tasks).map(([taskId, exitCode]) => {
    return { taskId, directory: String(taskId.split("#")[0]), execution: { exitCode } };
  });
  write(".turbo/runs/one.json", { tasks: summary });
  for (const [
    folder,
    [numPassedTests, numFailedTests, numPendingTests, numTodoTests, broken = 0],
  ] of Object.entries(reports)) {
    const testResults = Array.from({ length: broken }, () => {
      return { status: "failed", assertionResults: [{ status: "skipped" }] };
    });
    const counts = { numPassedTests, numFailedTests, numPendingTests, numTodoTests };
    write(`${folder}/test-results.json`, { ...counts, testResults });
  }
  return root;
}

test("the tests of all packages are counted, and builds are not", () => {
  const root = makeRun({
    tasks: { "a#build": 0, "a#test": 0, "b#test": 0, "tools#tidy": 0 },
    reports: { a: [3, 0, 0, 0], b: [4, 0, 1, 1], tools: [5, 0, 0, 0] },
  });
  expect(countResults(root)).toEqual({ passed: 12, failed: 0, skipped: 2, failedTasks: [] });
});

test("failed tests are counted one by one, and their task is named", () => {
  const root = makeRun({ tasks: { "a#test": 1 }, reports: { a: [3, 2, 0, 0] } });
  expect(countResults(root)).toEqual({ passed: 3, failed: 2, skipped: 0, failedTasks: ["a#test"] });
});

test("a task that failed without a failed test counts as one failure", () => {
  const root = makeRun({
    tasks: { "a#lint": 1, "a#test": 1, "b#test": 1, "c#test": 0 },
    reports: { a: [3, 0, 0, 0], c: [1, 0, 0, 0] },
  });
  expect(countResults(root)).toMatchObject({
    passed: 4,
    failed: 3,
    failedTasks: ["a#lint", "a#test", "b#test"],
  });
});

test("a test file that could not be loaded counts, beside failed tests of others", () => {
  const root = makeRun({ tasks: { "a#test": 1 }, reports: { a: [3, 1, 1, 0, 2] } });
  expect(countResults(root)).toMatchObject({ passed: 3, failed: 3, skipped: 1 });
});

test("a report of a package whose tests did not run this time is not counted", () => {
  const root = makeRun({ tasks: { "a#build": 1 }, reports: { a: [3, 0, 0, 0] } });
  expect(countResults(root)).toMatchObject({ passed: 0, failed: 1 });
});

test("the reports of a run are those of packages whose tests it ran or took from the cache, tidy's among them", () => {
  const root = makeRun({
    tasks: { "a#build": 0, "a#test": 0, "tools#tidy": 0, "c#build": 0 },
    reports: { a: [3, 0, 0, 0], tools: [1, 0, 0, 0], c: [5, 0, 0, 0] },
  });
  expect(reportsOfRun(root).map(({ directory, report }) => [directory, report.numPassedTests])).toEqual([
    ["a", 3],
    ["tools", 1],
  ]);
});

test("packages that have tests and were not asked for them are left out, and so may tidy be", () => {
  const root = makeRun({ tasks: { "a#test": 1, "b#build": 0 }, reports: {} });
  for (const [folder, scripts] of [
    ["a", { test: "vitest" }],
    ["b", { test: "vitest" }],
    ["c", { build: "tsc" }],
  ] as const) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "package.json"), JSON.stringify({ scripts }));
  }
  expect(leftOut(root, ["a", "b", "c"])).toEqual(["b", "tidy"]);
});

test("what an earlier run left is forgotten", () => {
  const root = makeRun({ tasks: { "a#test": 0 }, reports: { a: [3, 0, 0, 0] } });
  forgetResults(root, ["a"]);
  expect(existsSync(join(root, "a", "test-results.json"))).toBe(false);
  expect(countResults(root)).toEqual({ passed: 0, failed: 0, skipped: 0, failedTasks: [] });
});

test("the closing line has the form that tools which read test output know", () => {
  expect(verdict({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed");
  expect(verdict({ passed: 12, failed: 1, skipped: 2 })).toBe("12 passed, 1 failed, 2 skipped");
});
