/** What the rules look at: the texts of this repository, or of a small made-up one that shows that a rule can fail. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { parseAll } from "./syntax.ts";

export interface Workspace {
  /** Texts by path from the root, names separated by "/". */
  readonly files: ReadonlyMap<string, string>;
  /** The TypeScript and JavaScript among them, parsed. */
  readonly sources: ReadonlyMap<string, SourceFile>;
}

/** A rule gives one sentence for each place that breaks it, with what to do instead. */
export type Rule = (workspace: Workspace) => string[];

const FOLDERS = ["packages", "apps", "e2e", "bench", "examples", "docs", "tools"];
const NOT_OURS = new Set(["node_modules", "dist", "bundle", ".turbo", "test-results.json", "pnpm-lock.yaml"]);
const TEXT = /\.(?:ts|[cm]?js|json|yaml|md|txt)$/;

function pathsUnder(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (NOT_OURS.has(entry.name)) return [];
    // At the root only the named folders: what else lies there may be somebody's data.
    if (entry.isDirectory()) return folder !== "" || FOLDERS.includes(path) ? pathsUnder(root, path) : [];
    return TEXT.test(entry.name) ? [path] : [];
  });
}

/** The repository whose root folder this is. */
export function readWorkspace(root: string): Workspace {
  return workspaceOf(
    Object.fromEntries(pathsUnder(root, "").map((path) => [path, readFileSync(join(root, path), "utf8")])),
  );
}

/** A workspace made of these texts. */
export function workspaceOf(files: Readonly<Record<string, string>>): Workspace {
  const sources = parseAll(Object.entries(files).filter(([path]) => /\.(?:ts|[cm]?js)$/.test(path)));
  return { files: new Map(Object.entries(files)), sources };
}

export function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

/** The folder of the package that a path lies in, such as "packages/core" or "e2e"; null outside of packages. */
export function packageOf(path: string): string | null {
  return (
    /^(?:(?:packages|apps)\/[^/]+|tools\/(?:oracle|pack)|e2e|bench|examples|tools)(?=\/)/.exec(path)?.[0] ??
    null
  );
}
