/** What a package's types say to whoever uses it, read from the declarations that the compiler has emitted. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isClassDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isGetAccessorDeclaration,
  isImportDeclaration,
  isInterfaceDeclaration,
  isMethodDeclaration,
  isNamedExports,
  isPrivateIdentifier,
  isStringLiteral,
  isTypeAliasDeclaration,
  isVariableStatement,
  SyntaxKind,
} from "typescript/unstable/ast";
import { lineOf, nodesUnder, parseAll } from "./tidy/syntax.ts";

type Sources = ReadonlyMap<string, SourceFile>;

/** By their paths below `folder`. */
export function readDeclarations(folder: string): Sources {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".d.ts"),
  );
  return parseAll(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")] as const));
}

/** Where a type says `any`, which switches the compiler off for whoever meets it. */
export function anysIn(sources: Sources): string[] {
  return [...sources].flatMap(([path, source]) =>
    [...nodesUnder(source)]
      .filter(({ kind }) => kind === SyntaxKind.AnyKeyword)
      .map((node) => `${path}:${lineOf(source, node)}: any; say what it is, or unknown`),
  );
}

/** What index.d.ts exports and what that has for its users, as far as it has no doc comment. */
export function undocumentedIn(sources: Sources): string[] {
  return exportsOf("index.d.ts", sources).flatMap(([name, path]) => {
    const source = sources.get(path);
    if (source === undefined) return [`${path}: it is not there, for ${name}`];
    const declarations = source.statements.filter((statement) => declares(statement, name));
    if (declarations.length === 0) {
      // From another package, whose own it is to say what it means.
      return importsFromOutside(source, name) ? [] : [`${path}: ${name} is exported and not declared`];
    }
    const silent = declarations.every((declaration) => !isDocumented(source, declaration));
    const members = declarations.flatMap((declaration) => silentMembers(source, declaration));
    return [
      ...(silent ? [`${path}: ${name} has no doc comment`] : []),
      ...members.map((member) => `${path}: ${name}.${member} has no doc comment`),
    ];
  });
}

/** Each name with the file that it comes from. */
function exportsOf(path: string, sources: Sources): [name: string, path: string][] {
  const index = sources.get(path);
  if (index === undefined) throw new Error(`there is no ${path}; build first`);
  return index.statements.flatMap((statement): [string, string][] => {
    if (!isExportDeclaration(statement)) return [];
    const { exportClause, moduleSpecifier } = statement;
    if (exportClause === undefined || !isNamedExports(exportClause)) return [];
    if (moduleSpecifier === undefined || !isStringLiteral(moduleSpecifier)) return [];
    const from = join(dirname(path), moduleSpecifier.text.replace(/\.ts$/, ".d.ts"));
    return exportClause.elements.map((element) => [
      (element.propertyName ?? element.name).getText(index),
      from,
    ]);
  });
}

function declares(statement: Node, name: string): boolean {
  if (isVariableStatement(statement))
    return statement.declarationList.declarations.some((one) => one.name.getText() === name);
  const isNamed =
    isInterfaceDeclaration(statement) ||
    isTypeAliasDeclaration(statement) ||
    isClassDeclaration(statement) ||
    isFunctionDeclaration(statement);
  return isNamed && statement.name?.getText() === name;
}

function importsFromOutside(source: SourceFile, name: string): boolean {
  return source.statements.some(
    (statement) =>
      isImportDeclaration(statement) &&
      isStringLiteral(statement.moduleSpecifier) &&
      !statement.moduleSpecifier.text.startsWith(".") &&
      new RegExp(`\\b${name}\\b`).test(statement.getText(source)),
  );
}

/** Methods and getters of a class; what an interface has says itself by name and type, if it says nothing more. */
function silentMembers(source: SourceFile, declaration: Node): string[] {
  if (!isClassDeclaration(declaration)) return [];
  const known = new Set<string>();
  const silent = declaration.members.flatMap((member) => {
    if (!isMethodDeclaration(member) && !isGetAccessorDeclaration(member)) return [];
    if (isPrivateIdentifier(member.name)) return [];
    const name = member.name.getText(source);
    if (name.startsWith("[Symbol.")) return [];
    if (isDocumented(source, member)) known.add(name);
    return [name];
  });
  return [...new Set(silent)].filter((name) => !known.has(name));
}

function isDocumented(source: SourceFile, node: Node): boolean {
  return source.text.slice(node.pos, node.getStart(source)).includes("/**");
}
