import { expect, test } from "vitest";
import { matrixCitesTests, matrixHasProofs } from "./behavior-matrix.ts";
import { workspaceOf } from "./workspace.ts";

const TESTS = 'test("a torn tail is cut", () => {}); test(`an index is rebuilt`, () => {});';

function problems(row: string): string[] {
  const files = { "docs/behavior-matrix.md": `# Behavior\n\n${row}\n`, "e2e/log.test.ts": TESTS };
  return matrixCitesTests(workspaceOf(files));
}

test("a test file that is gone is found", () => {
  expect(problems("| x | `e2e/gone.test.ts` |")).toEqual([
    "docs/behavior-matrix.md:3: there is no test file e2e/gone.test.ts",
  ]);
});

test("a test that is gone is found, in whatever place of the list it is cited", () => {
  expect(problems('| x | `e2e/log.test.ts` "a torn tail is cut", "nothing is lost" |')).toEqual([
    'docs/behavior-matrix.md:3: e2e/log.test.ts has no test "nothing is lost"',
  ]);
  expect(problems('| x | `e2e/log.test.ts` › "a torn tail was cut" |')).toHaveLength(1);
});

test("tests that are there are proofs", () => {
  expect(problems('| x | `e2e/log.test.ts` "a torn tail is cut" and "an index is rebuilt" |')).toEqual([]);
});

test("a matrix without proofs is found", () => {
  expect(matrixHasProofs(workspaceOf({ "docs/behavior-matrix.md": "# Behavior\n" }))).toHaveLength(1);
  expect(matrixHasProofs(workspaceOf({}))).toHaveLength(1);
});
