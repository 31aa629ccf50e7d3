/**
 * Syntax trees from the compiler itself. Its interface for programs still carries "unstable" in its name; the compiler's
 * version is pinned, and this is the only file that starts it.
 */
import type { Node, SourceFile } from "typescript/unstable/ast";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API } from "typescript/unstable/sync";

const PROJECT = "/tsconfig.json";
const OPTIONS = { noLib: true, noResolve: true, types: [], allowJs: true, noEmit: true, module: "nodenext" };

/** Parses texts, each with its path from the root; nothing is resolved and no types are computed. */
export function parseAll(texts: Iterable<readonly [path: string, text: string]>): Map<string, SourceFile> {
  const files = Object.fromEntries(Array.from(texts, ([path, text]) => [`/${path}`, text]));
  const project = { compilerOptions: OPTIONS, files: Object.keys(files) };
  const fs = createVirtualFileSystem({ ...files, [PROJECT]: JSON.stringify(project) });
  const compiler = new API({ cwd: "/", fs });
  try {
    const program = compiler.updateSnapshot({ openProjects: [PROJECT] }).getProject(PROJECT)?.program;
    const parsed = new Map<string, SourceFile>();
    for (const path of Object.keys(files)) {
      const source = program?.getSourceFile(path);
      if (source === undefined) throw new Error(`the compiler did not read ${path.slice(1)}`);
      parsed.set(path.slice(1), source);
    }
    return parsed;
  } finally {
    compiler.close();
  }
}

/** A node and all beneath it, in the order of the text. */
export function* nodesUnder(node: Node): Generator<Node> {
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  for (const child of children) yield* nodesUnder(child);
}

/** The line of a node's first character, from 1. */
export function lineOf(source: SourceFile, node: Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}

export function lastLineOf(source: SourceFile, node: Node): number {
  return source.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
}
