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

/** Every use of one of these names that the file has not declared itself. */
export function globalUses(source: SourceFile, names: ReadonlySet<string>): GlobalUse[] {
  const nodes = [...nodesUnder(source)];
  const declared = new Set(
    nodes.flatMap((node) => {
      const name = declaredName(node);
      return name !== undefined && isIdentifier(name) ? [name.text] : [];
    }),
  );
  return nodes.flatMap((node) => {
    if (!isIdentifier(node) || !names.has(node.text) || declared.has(node.text) || !isValue(node)) return [];
    return [useOf(source, node, node.text)];
  });
}
