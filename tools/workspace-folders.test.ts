import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { workspaceFolders } from "./workspace-folders.mjs";

test("packages are found by pattern and by name, and folders without a package.json are not", () => {
  const root = mkdtempSync(join(tmpdir(), "minikafka-folders-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(
    join(root, "pnpm-workspace.yaml"),
    'packages:\n  - packages/*\n  - "apps/*"\n  - e2e\nengineStrict: true\nallowBuilds: {}\n',
  );
  for (const folder of ["packages/b", "packages/a", "e2e"]) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "package.json"), "{}");
  }
  mkdirSync(join(root, "packages", "leftover"));
  expect(workspaceFolders(root)).toEqual(["e2e", "packages/a", "packages/b"]);
});
