import { expect, test } from "vitest";
import { testsDoNotSleep, testsLeaveNothingOut } from "./honest-tests.ts";
import { workspaceOf } from "./workspace.ts";

const PATH = "packages/core/src/log/segment.test.ts";

function inTest(...lines: string[]) {
  return workspaceOf({ [PATH]: lines.join("\n") });
}

test("a test that is left out, or leaves the others out, is found in all its forms", () => {
  const workspace = inTest(
    'test.only("a", () => {});',
    'describe.skip("b", () => {});',
    'it.concurrent.todo("c");',
    'test.skip.each([1])("d", () => {});',
    'test("e", { skip: true }, () => {});',
    'test("f", { timeout: 5 }, () => {});',
    "list.skip(2); const skip = { only: true };",
  );
  expect(testsLeaveNothingOut(workspace)).toEqual([
    `${PATH}:1: test.only; run the test, or remove it`,
    `${PATH}:2: describe.skip; run the test, or remove it`,
    `${PATH}:3: it.todo; run the test, or remove it`,
    `${PATH}:4: test.skip; run the test, or remove it`,
    `${PATH}:5: test with skip; run the test, or remove it`,
  ]);
});

test("a test that lets time pass is found, and so is what tests are built of", () => {
  const workspace = workspaceOf({
    [PATH]: "await new Promise((done) => setTimeout(done, 50));\nvi.setSystemTime(5);",
    "e2e/support/daemon.ts": 'import { setTimeout } from "node:timers/promises";\nawait setTimeout(5);',
    "packages/core/test/world.ts": "Atomics.wait(cell, 0, 0, 50);",
    "packages/client/src/clock.ts": "setTimeout(action, 5);",
  });
  const instead = "a test does not sleep; wait for what is to happen, or step the clock";
  expect(testsDoNotSleep(workspace)).toEqual([
    `${PATH}:1: setTimeout: ${instead}`,
    `packages/core/test/world.ts:1: Atomics: ${instead}`,
    `e2e/support/daemon.ts:1: node:timers/promises: ${instead}`,
  ]);
});
