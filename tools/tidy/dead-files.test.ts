import { expect, test } from "vitest";
import { noDeadFiles } from "./dead-files.ts";
import { workspaceOf } from "./workspace.ts";

const FILES = {
  "packages/record/package.json": JSON.stringify({
    exports: { ".": { default: "./dist/index.js" }, "./testing": { default: "./dist/testing.js" } },
    bin: { tool: "./bin/tool.cjs" },
  }),
  "packages/record/bin/tool.cjs": 'require("../bundle/main.cjs");',
  "packages/record/src/index.ts": 'export * from "./batch.ts";',
  "packages/record/src/testing.ts": "export const a = 1;",
  "packages/record/src/main.ts": 'await import("./late.ts");',
  "packages/record/src/late.ts": "export const a = 1;",
  "packages/record/src/batch.ts": "export const a = 1;",
  "packages/record/src/batch.test.ts": 'import "./batch.ts"; import "../test/sample.ts";',
  "packages/record/test/sample.ts": "export const a = 1;",
};

test("what a door, a command or a test reaches is alive", () => {
  expect(noDeadFiles(workspaceOf(FILES))).toEqual([]);
});

test("a file that nothing imports is found", () => {
  const files = { ...FILES, "packages/record/src/old.ts": "export const a = 1;" };
  expect(noDeadFiles(workspaceOf(files))).toEqual([expect.stringContaining("old.ts: nothing imports it")]);
});

test("a file of the product that only its own test imports is found", () => {
  const files = {
    ...FILES,
    "packages/record/src/old.ts": "export const a = 1;",
    "packages/record/src/old.test.ts": 'import "./old.ts";',
  };
  expect(noDeadFiles(workspaceOf(files))).toEqual([expect.stringContaining("old.ts: only tests import it")]);
});

test("a script that package.json names is alive, another is not", () => {
  const files = {
    "package.json": JSON.stringify({ scripts: { go: "node tools/go.mjs --now" } }),
    "tools/go.mjs": "export {};",
    "tools/gone.mjs": "export {};",
  };
  expect(noDeadFiles(workspaceOf(files))).toEqual([expect.stringContaining("tools/gone.mjs")]);
});
