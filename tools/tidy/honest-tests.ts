/** Tests neither wait for time to pass nor leave anything out. */
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isPropertyAssignment,
} from "typescript/unstable/ast";
import { globalUses } from "./global-uses.ts";
import { importsOf } from "./imports.ts";
import { lineOf, nodesUnder } from "./syntax.ts";
import { isTest, type Rule, type Workspace } from "./workspace.ts";

const RUNNERS = new Set(["test", "it", "describe", "suite"]);
const LEAVES_OUT = new Set(["only", "skip", "todo", "fails"]);
const WAITS = new Set(["setTimeout", "setInterval", "Atomics"]);

/** Tests, and what they are built of. */
function isTestCode(path: string): boolean {
  return isTest(path) || /^e2e\//.test(path) || /\/(?:test|testing)\//.test(path);
}

function testSources({ sources }: Workspace): [string, SourceFile][] {
  return [...sources].filter(([path]) => isTestCode(path));
}

/** The name at the left of `test(…)`, `test.only(…)`, `test.concurrent.for(…)(…)`. */
function runnerOf(node: Node): string | null {
  let left = node;
  while (isPropertyAccessExpression(left) || isCallExpression(left)) left = left.expression;
  return isIdentifier(left) && RUNNERS.has(left.text) ? left.text : null;
}

/** How a node leaves a test out: `test.skip`, or `{ skip: true }` among the arguments of `test(…)`. */
function leavesOut(node: Node): string | null {
  if (isPropertyAccessExpression(node) && LEAVES_OUT.has(node.name.text)) {
    const runner = runnerOf(node.expression);
    return runner === null ? null : `${runner}.${node.name.text}`;
  }
  if (!isPropertyAssignment(node) || !isIdentifier(node.name) || !LEAVES_OUT.has(node.name.text)) return null;
  const call = node.parent.parent;
  const runner = isCallExpression(call) ? runnerOf(call.expression) : null;
  return runner === null ? null : `${runner} with ${node.name.text}`;
}

export const testsLeaveNothingOut: Rule = (workspace) =>
  testSources(workspace).flatMap(([path, source]) =>
    [...nodesUnder(source)].flatMap((node) => {
      const how = leavesOut(node);
      return how === null ? [] : [`${path}:${lineOf(source, node)}: ${how}; run the test, or remove it`];
    }),
  );

export const testsDoNotSleep: Rule = (workspace) => {
  const waits = testSources(workspace).flatMap(([path, source]) =>
    globalUses(source, WAITS).map(({ name, line }) => `${path}:${line}: ${name}`),
  );
  const modules = importsOf(workspace).flatMap(({ from, line, specifier }) =>
    isTestCode(from) && /^(?:node:)?timers/.test(specifier) ? [`${from}:${line}: ${specifier}`] : [],
  );
  return [...waits, ...modules].map(
    (place) => `${place}: a test does not sleep; wait for what is to happen, or step the clock`,
  );
};
