/** Every file is reached: from a door of its package, a command, a script or a test. */
import { join } from "node:path/posix";
import { importsOf } from "./imports.ts";
import { type Manifest, manifestsOf, sourceOfBuilt } from "./manifests.ts";
import { isTest, packageOf, type Rule, type Workspace } from "./workspace.ts";

function scriptFiles({ folder, scripts }: Manifest): string[] {
  const words = Object.values(scripts).flatMap((script) => script.split(/\s+/));
  return words.filter((word) => /\.(?:ts|[cm]?js)$/.test(word)).map((word) => join(folder, word));
}

function entrances(workspace: Workspace): string[] {
  const declared = manifestsOf(workspace).flatMap((manifest) => [
    ...Object.values(manifest.exports).map((door) => sourceOfBuilt(manifest.folder, door.default)),
    ...Object.values(manifest.bin).map((path) => `${manifest.folder}/${path.replace(/^\.\//, "")}`),
    ...scriptFiles(manifest),
  ]);
  const configuration = [...workspace.sources.keys()].filter((path) =>
    /(?:^|\/)(?:vitest\.[^/]*\.ts|\.pnpmfile\.cjs)$/.test(path),
  );
  return [...declared, ...configuration];
}

function reachedFrom(starts: Iterable<string>, workspace: Workspace): Set<string> {
  const next = new Map<string, string[]>();
  for (const { from, target } of importsOf(workspace)) {
    if (target !== null) next.set(from, [...(next.get(from) ?? []), target]);
  }
  const reached = new Set<string>();
  const waiting = [...starts];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...(next.get(path) ?? []));
  }
  return reached;
}

/** What may live for tests alone: whole test packages, and folders that say so. */
function isForTests(path: string): boolean {
  return (
    ["e2e", "packages/simulator", "tools", "tools/pack"].includes(packageOf(path) ?? "") ||
    /\/(?:test|testing|support)\//.test(path)
  );
}

export const noDeadFiles: Rule = (workspace) => {
  const paths = [...workspace.sources.keys()];
  const used = reachedFrom(entrances(workspace), workspace);
  const tested = reachedFrom([...used, ...paths.filter(isTest)], workspace);
  return paths.flatMap((path) => {
    if (isTest(path) || used.has(path) || (isForTests(path) && tested.has(path))) return [];
    const why = tested.has(path) ? "only tests import it" : "nothing imports it";
    return [`${path}: ${why}; use it, remove it, or move it to a folder test/ or testing/`];
  });
};
