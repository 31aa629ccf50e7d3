/** Files and functions that fit into one look. The exceptions are a ratchet: they shrink, and they go. */
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isCallExpression,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isIdentifier,
  isMethodDeclaration,
  isPropertyAccessExpression,
  isSetAccessorDeclaration,
} from "typescript/unstable/ast";
import { lastLineOf, lineOf, nodesUnder } from "./syntax.ts";
import type { Workspace } from "./workspace.ts";

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 60;

/** Lines allowed beyond the limits, by "path" or "path#function". Only remove from it, or lower a number. */
export const EXCEPTIONS: Readonly<Record<string, number>> = {};

function isFunction(node: Node): boolean {
  return (
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isArrowFunction(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node) ||
    isGetAccessorDeclaration(node) ||
    isSetAccessorDeclaration(node)
  );
}

/** The function given to `describe` groups tests; it is no longer than what it groups. */
function groupsTests({ parent }: Node): boolean {
  if (!isCallExpression(parent)) return false;
  // Down to the name at the left of `describe(…)`, `describe.each(…)(…)` and the like.
  let callee: Node = parent.expression;
  while (isCallExpression(callee) || isPropertyAccessExpression(callee)) callee = callee.expression;
  return isIdentifier(callee) && callee.text === "describe";
}

/** Its own name, or the name of the variable or member that holds it, or the line it begins at. */
function nameOf(source: SourceFile, node: Node): string {
  if (isConstructorDeclaration(node)) return "constructor";
  for (const named of [node, node.parent]) {
    if ("name" in named && named.name !== undefined) return (named.name as Node).getText(source);
  }
  return `line ${lineOf(source, node)}`;
}

function lengthsIn(path: string, source: SourceFile): Map<string, number> {
  const lengths = new Map([[path, source.text.split("\n").length - (source.text.endsWith("\n") ? 1 : 0)]]);
  for (const node of nodesUnder(source)) {
    if (!isFunction(node) || groupsTests(node)) continue;
    const key = `${path}#${nameOf(source, node)}`;
    const lines = lastLineOf(source, node) - lineOf(source, node) + 1;
    lengths.set(key, Math.max(lines, lengths.get(key) ?? 0));
  }
  return lengths;
}

/** The rule, for a list of exceptions. */
export function nothingTooLong(workspace: Workspace, exceptions: Readonly<Record<string, number>>): string[] {
  const lengths = new Map([...workspace.sources].flatMap(([path, source]) => [...lengthsIn(path, source)]));
  const problems: string[] = [];
  for (const [key, lines] of lengths) {
    const limit = key.includes("#") ? FUNCTION_LINES_MAX : FILE_LINES_MAX;
    const bound = exceptions[key] ?? limit;
    if (lines > bound) problems.push(`${key}: ${lines} lines, at most ${bound}; split it along its ideas`);
    if (key in exceptions && lines < bound) {
      problems.push(
        `${key}: ${lines} lines now; ${lines > limit ? `lower its exception to ${lines}` : "remove its exception"}`,
      );
    }
  }
  const gone = Object.keys(exceptions).filter((key) => !lengths.has(key));
  return [...problems, ...gone.map((key) => `${key}: is gone; remove its exception`)];
}
