/** Tests neither wait for time to pass nor leave anything out. */
import type { SourceFile } from "typescript/unstable/ast";
import { isIdentifier, isPropertyAccessExpression } from "typescript/unstable/ast";
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

export const testsLeaveNothingOut: Rule = (workspace) =>
  testSources(workspace).flatMap(([path, source]) =>
    [...nodesUnder(source)].flatMap((node) => {
      if (!isPropertyAccessExpression(node) || !LEAVES_OUT.has(node.name.text)) return [];
      if (!isIdentifier(node.expression) || !RUNNERS.has(node.expression.text)) return [];
      return [
        `${path}:${lineOf(source, node)}: ${node.expression.text}.${node.name.text}; run the test, or remove it`,
      ];
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
