/** What each file takes from other files: static, re-exported, dynamic and type imports alike. */
import { posix } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isMetaProperty,
  isPropertyAccessExpression,
  isStringLiteral,
  SyntaxKind,
} from "typescript/unstable/ast";
import { lineOf, nodesUnder } from "./syntax.ts";
import type { Workspace } from "./workspace.ts";

export interface Import {
  readonly from: string;
  readonly line: number;
  /** As written: "./segment.ts", "@minikafka/record", "node:fs". */
  readonly specifier: string;
  /** The imported file's path from the root, for a relative import; it may not exist. */
  readonly target: string | null;
}

/** The commands in bin/ are of CommonJS. */
function isRequire(node: Node): boolean {
  return isIdentifier(node) && node.text === "require";
}

/** `import.meta.resolve(…)` asks where a package is, which is to know it. */
function asksForPlace(node: Node): boolean {
  return isPropertyAccessExpression(node) && node.name.text === "resolve" && isMetaProperty(node.expression);
}

function specifierNode(node: Node): Node | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return node.moduleSpecifier;
  if (isCallExpression(node)) {
    const { expression } = node;
    const imports =
      expression.kind === SyntaxKind.ImportKeyword || isRequire(expression) || asksForPlace(expression);
    return imports ? node.arguments[0] : undefined;
  }
  if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) return node.argument.literal;
  return undefined;
}

/** A built file stands for its source: the commands in bin/ load ../bundle/main.cjs, which is made of dist/main.js. */
function sourceOf(path: string): string {
  return path.replace(/\/(?:dist|bundle)\/(.+)\.c?js$/, "/src/$1.ts");
}

function importsIn(path: string, source: SourceFile): Import[] {
  const found: Import[] = [];
  for (const node of nodesUnder(source)) {
    const written = specifierNode(node);
    if (written === undefined || !isStringLiteral(written)) continue;
    const specifier = written.text;
    const target = specifier.startsWith(".") ? sourceOf(posix.join(posix.dirname(path), specifier)) : null;
    found.push({ from: path, line: lineOf(source, node), specifier, target });
  }
  return found;
}

const known = new WeakMap<Workspace, readonly Import[]>();

/** Every import of the workspace, found once. */
export function importsOf(workspace: Workspace): readonly Import[] {
  const before = known.get(workspace);
  if (before !== undefined) return before;
  const imports = [...workspace.sources].flatMap(([path, source]) => importsIn(path, source));
  known.set(workspace, imports);
  return imports;
}

/** "@minikafka/core/testing" → the package's name and its door "./testing" ("." for the main one). */
export function packageAndDoor(specifier: string): { name: string; door: string } {
  const parts = specifier.split("/");
  const nameParts = specifier.startsWith("@") ? 2 : 1;
  const rest = parts.slice(nameParts).join("/");
  return { name: parts.slice(0, nameParts).join("/"), door: rest === "" ? "." : `./${rest}` };
}
