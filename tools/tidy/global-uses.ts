/** Where a file reaches for something that is there without being imported: `Date.now`, `setTimeout`, `process.exit`. */
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isBindingElement,
  isCallExpression,
  isClassDeclaration,
  isElementAccessExpression,
  isFunctionDeclaration,
  isIdentifier,
  isImportClause,
  isImportSpecifier,
  isNamespaceImport,
  isNewExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isStringLiteral,
  isVariableDeclaration,
  SyntaxKind,
} from "typescript/unstable/ast";
import { lineOf, nodesUnder } from "./syntax.ts";

export interface GlobalUse {
  readonly name: string;
  /** What is taken of it: "now" in `Date.now`; null when it is used whole. */
  readonly member: string | null;
  /** How many arguments a call or `new` gives it; null when it is neither called nor constructed itself. */
  readonly argumentCount: number | null;
  readonly constructed: boolean;
  readonly line: number;
}

function declaredName(node: Node): Node | undefined {
  const declares =
    isVariableDeclaration(node) ||
    isParameterDeclaration(node) ||
    isBindingElement(node) ||
    isImportSpecifier(node) ||
    isImportClause(node) ||
    isNamespaceImport(node) ||
    isFunctionDeclaration(node) ||
    isClassDeclaration(node);
  return declares ? node.name : undefined;
}

const TYPE_POSITIONS = new Set([
  SyntaxKind.TypeReference,
  SyntaxKind.TypeQuery,
  SyntaxKind.QualifiedName,
  SyntaxKind.TypePredicate,
]);

/** Whether an identifier is an expression's value, rather than a name of something or a part of a type. */
function isValue(node: Node): boolean {
  const { parent } = node;
  if (TYPE_POSITIONS.has(parent.kind)) return false;
  if (isPropertyAccessExpression(parent)) return parent.expression === node;
  if (parent.kind === SyntaxKind.ShorthandPropertyAssignment) return true;
  // Names of members, properties, declarations, labels: all of them are called `name` by the parser.
  return (
    !("name" in parent && parent.name === node) && !("propertyName" in parent && parent.propertyName === node)
  );
}

function useOf(source: SourceFile, node: Node, name: string): GlobalUse {
  const { parent } = node;
  const line = lineOf(source, node);
  const none = { name, member: null, argumentCount: null, constructed: false, line };
  if (isPropertyAccessExpression(parent)) return { ...none, member: parent.name.text };
  if (isElementAccessExpression(parent) && isStringLiteral(parent.argumentExpression)) {
    return { ...none, member: parent.argumentExpression.text };
  }
  if ((isCallExpression(parent) || isNewExpression(parent)) && parent.expression === node) {
    return { ...none, argumentCount: parent.arguments?.length ?? 0, constructed: isNewExpression(parent) };
  }
  return none;
}

const SCOPES = new Set([
  ...[SyntaxKind.SourceFile, SyntaxKind.Block, SyntaxKind.ModuleBlock, SyntaxKind.CaseBlock],
  ...[SyntaxKind.ForStatement, SyntaxKind.ForOfStatement, SyntaxKind.ForInStatement, SyntaxKind.CatchClause],
  ...[SyntaxKind.FunctionDeclaration, SyntaxKind.FunctionExpression, SyntaxKind.ArrowFunction],
  ...[SyntaxKind.MethodDeclaration, SyntaxKind.Constructor, SyntaxKind.GetAccessor, SyntaxKind.SetAccessor],
]);

function scopeAround(declaration: Node): Node {
  let scope = declaration.parent;
  while (!SCOPES.has(scope.kind)) scope = scope.parent;
  return scope;
}

/** For each of these names, the parts of the file in which it means something of the file's own. */
function ownScopes(nodes: readonly Node[], names: ReadonlySet<string>): Map<string, Set<Node>> {
  const scopes = new Map<string, Set<Node>>();
  for (const node of nodes) {
    const name = declaredName(node);
    if (name === undefined || !isIdentifier(name) || !names.has(name.text)) continue;
    scopes.set(name.text, (scopes.get(name.text) ?? new Set()).add(scopeAround(node)));
  }
  return scopes;
}

function isWithin(node: Node, scopes: ReadonlySet<Node> | undefined): boolean {
  if (scopes === undefined) return false;
  for (let at = node; at.kind !== SyntaxKind.SourceFile; at = at.parent) {
    if (scopes.has(at.parent)) return true;
  }
  return false;
}

/** Every use of one of these names where it does not mean something that the file has declared itself. */
export function globalUses(source: SourceFile, names: ReadonlySet<string>): GlobalUse[] {
  const nodes = [...nodesUnder(source)];
  const scopes = ownScopes(nodes, names);
  return nodes.flatMap((node) => {
    if (!isIdentifier(node) || !names.has(node.text) || !isValue(node)) return [];
    return isWithin(node, scopes.get(node.text)) ? [] : [useOf(source, node, node.text)];
  });
}
