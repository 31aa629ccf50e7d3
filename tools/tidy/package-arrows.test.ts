import { expect, test } from "vitest";
import { dependenciesFollowArrows, everyPackageHasArrows, importsFollowArrows } from "./package-arrows.ts";
import { workspaceOf } from "./workspace.ts";

function manifest(name: string, dependencies: string[], doors: string[] = ["."]): string {
  return JSON.stringify({
    name,
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, "workspace:*"])),
    exports: Object.fromEntries(doors.map((door) => [door, { default: "./dist/index.js" }])),
  });
}

const MANIFESTS = {
  "packages/record/package.json": manifest("@minikafka/record", []),
  "packages/protocol/package.json": manifest("@minikafka/protocol", [], [".", "./errors"]),
  "packages/core/package.json": manifest("@minikafka/core", [], [".", "./testing", "./log"]),
};

function importProblems(path: string, specifier: string): string[] {
  return importsFollowArrows(workspaceOf({ ...MANIFESTS, [path]: `import "${specifier}";` }));
}

test.for([
  ["packages/client/src/a.ts", "@minikafka/core", "may not know @minikafka/core"],
  ["packages/core/src/a.ts", "@minikafka/protocol", "may not know @minikafka/protocol"],
  ["packages/core/src/a.ts", "zod", "may not know zod"],
  ["packages/record/src/a.ts", "@minikafka/core", "may not know @minikafka/core"],
  ["packages/record/src/a.ts", "vitest", "may not know vitest"],
  ["apps/cli/src/a.ts", "@minikafka/core", "may not know @minikafka/core"],
  ["apps/broker/src/a.ts", "@minikafka/core/env/node-disk", "is not a door"],
  ["apps/broker/src/a.ts", "@minikafka/core/testing", "is for tests"],
  ["apps/broker/src/a.ts", "../../../packages/record/src/batch.ts", "climbs out"],
] as const)("%s may not import %s", ([path, specifier, problem]) => {
  expect(importProblems(path, specifier)).toEqual([expect.stringContaining(problem)]);
});

test.for([
  ["packages/core/src/a.ts", "@minikafka/protocol/errors"],
  ["packages/core/src/a.ts", "node:path"],
  ["packages/core/src/a.ts", "./b.ts"],
  ["packages/core/src/a.test.ts", "vitest"],
  ["apps/broker/src/a.test.ts", "@minikafka/core/testing"],
  ["apps/cli/src/a.ts", "@minikafka/core/log"],
  ["packages/simulator/src/a.ts", "@minikafka/core/testing"],
  ["e2e/vitest.config.ts", "vitest/config"],
] as const)("%s may import %s", ([path, specifier]) => {
  expect(importProblems(path, specifier)).toEqual([]);
});

test.for([
  'export { a } from "zod";',
  'export const a = await import("zod");',
  'export type A = import("zod").ZodType;',
  'export const a = import.meta.resolve("zod");',
])("an import is found in whatever form: %s", (text) => {
  expect(importsFollowArrows(workspaceOf({ "packages/core/src/a.ts": text }))).toEqual([
    expect.stringContaining("packages/core/src/a.ts:1: packages/core may not know zod"),
  ]);
});

test("a dependency against the arrows, or one that nothing imports, is found", () => {
  const files = {
    "packages/client/package.json": manifest("@minikafka/client", ["@minikafka/core", "@minikafka/record"]),
    "packages/client/src/a.ts": 'import "@minikafka/core";',
  };
  expect(dependenciesFollowArrows(workspaceOf(files))).toEqual([
    "packages/client/package.json: packages/client may not depend on @minikafka/core",
    "packages/client/package.json: @minikafka/record is not imported; remove it",
  ]);
});

test("a package without arrows is found", () => {
  const files = { "package.json": "{}", "packages/extra/package.json": manifest("@minikafka/extra", []) };
  expect(everyPackageHasArrows(workspaceOf(files))).toEqual([expect.stringContaining("packages/extra")]);
});
