/**
 * The linter's type-aware rules stand in its "nursery", and what they see of other packages hangs on the `paths` of each
 * tsconfig.json. Here our own configuration meets packages made of promises that nobody waits for.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageAndDoor } from "./tidy/imports.ts";
import { MAY_KNOW } from "./tidy/package-arrows.ts";
import { workspaceFolders } from "./workspace-folders.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BIOME = join(ROOT, "node_modules", "@biomejs", "biome", "bin", "biome");
const made = mkdtempSync(join(tmpdir(), "minikafka-lint-"));

function write(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(join(made, path)), { recursive: true });
  writeFileSync(join(made, path), `${lines.join("\n")}\n`);
}

/** "@minikafka/core/log" → packages/core/src/log/index.ts. */
function sourceBehind(specifier: string): string {
  const { name, door } = packageAndDoor(specifier);
  const folder = workspaceFolders(ROOT).find((path) => path.endsWith(name.replace("@minikafka", "")));
  const inside = { ".": "index.ts", "./log": "log/index.ts" }[door] ?? `${door}.ts`;
  return join(folder ?? "", "src", inside);
}

/** Folders from which other packages are known, each with the specifiers that it may use. */
const knowing = Object.entries(MAY_KNOW).flatMap(([folder, all]) => {
  const ours = all.filter((specifier) => specifier.startsWith("@minikafka/"));
  return ours.map((specifier) => [folder, specifier] as const);
});

interface Finding {
  readonly category: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

/** "line: rule" for each finding, by file; all of the made-up repository in one go. */
function lint(): Map<string, string[]> {
  const args = [BIOME, "lint", "--reporter=json", "--max-diagnostics=none", "."];
  const { stdout } = spawnSync(process.execPath, args, { cwd: made, encoding: "utf8" });
  const { diagnostics }: { diagnostics: Finding[] } = JSON.parse(stdout);
  const byFile = new Map<string, string[]>();
  for (const { category, location } of diagnostics) {
    const found = byFile.get(location.path) ?? [];
    byFile.set(location.path, [...found, `${location.start.line}: ${category}`].sort());
  }
  return byFile;
}

const FLOATING = "lint/nursery/noFloatingPromises";
let findings = new Map<string, string[]>();

function copyOurs(): void {
  mkdirSync(join(made, ".git"));
  for (const file of ["biome.json", "tsconfig.base.json", ".gitignore"])
    copyFileSync(join(ROOT, file), join(made, file));
  for (const folder of workspaceFolders(ROOT)) {
    mkdirSync(join(made, folder), { recursive: true });
    for (const file of ["tsconfig.json", "package.json"])
      copyFileSync(join(ROOT, folder, file), join(made, folder, file));
  }
}

function writePromising(door: string): void {
  write(door, ['export { settle, Thing } from "./promising.ts";']);
  write(join(dirname(door), "promising.ts"), [
    "export async function settle(): Promise<number> {",
    "  return 1;",
    "}",
    "export class Thing {",
    "  close(): Promise<number> {",
    "    return settle();",
    "  }",
    "}",
  ]);
}

/** The made-up file of a folder that knows the package of this specifier. */
function knowingFile(folder: string, specifier: string): string {
  return join(folder, folder.includes("/") ? "src" : "", `from-${specifier.replaceAll(/\W/g, "-")}.ts`);
}

function writeFloating(path: string, specifier: string): void {
  write(path, [
    `import { settle, type Thing } from "${specifier}";`,
    "export async function floats(thing: Thing): Promise<void> {",
    "  settle();",
    "  thing.close();",
    "  await settle();",
    "  await thing.close();",
    "}",
  ]);
}

const WITHIN = "packages/record/src/within.ts";
const MISUSED = "packages/record/src/misused.ts";

beforeAll(() => {
  copyOurs();
  for (const specifier of new Set(knowing.map(([, known]) => known))) writePromising(sourceBehind(specifier));
  for (const [folder, specifier] of knowing) writeFloating(knowingFile(folder, specifier), specifier);
  write(WITHIN, [
    'import { settle } from "./promising.ts";',
    "async function here(): Promise<void> {}",
    "export function floats(): void {",
    "  here();",
    "  settle();",
    "  void settle();",
    "  here().then(() => 1);",
    "}",
  ]);
  write(MISUSED, [
    'import { settle } from "./promising.ts";',
    "export function misused(): number {",
    "  if (settle()) return 1;",
    "  return 0;",
    "}",
  ]);
  findings = lint();
});

afterAll(() => rmSync(made, { recursive: true, force: true }));

test.for(knowing)("in %s a promise of %s that floats is an error", ([folder, specifier]) => {
  expect(findings.get(knowingFile(folder, specifier))).toEqual([`3: ${FLOATING}`, `4: ${FLOATING}`]);
});

test("within a file and between files of a package a promise that floats is an error", () => {
  expect(findings.get(WITHIN)).toEqual([4, 5, 7].map((line) => `${line}: ${FLOATING}`));
});

test("a promise where a value was meant is an error", () => {
  expect(findings.get(MISUSED)).toEqual(["3: lint/nursery/noMisusedPromises"]);
});
