import { expect, test } from "vitest";
import { noImportCycles } from "./import-cycles.ts";
import { workspaceOf } from "./workspace.ts";

const FOLDER = "packages/core/src/log";

test("a circle is found and shown, by whatever detour and even if only types go round", () => {
  const workspace = workspaceOf({
    [`${FOLDER}/start.ts`]: 'import "./segment.ts";',
    [`${FOLDER}/segment.ts`]: 'import { walk } from "./index.ts";',
    [`${FOLDER}/index.ts`]: 'export { walk } from "./scan.ts";',
    [`${FOLDER}/scan.ts`]: 'import type { Segment } from "./segment.ts";',
  });
  const circle = ["segment", "index", "scan", "segment"].map((name) => `${FOLDER}/${name}.ts`);
  expect(noImportCycles(workspace)).toEqual([
    `a circle of imports: ${circle.join(" → ")}; take out what both need`,
  ]);
});

test("two ways to the same file are no circle", () => {
  const workspace = workspaceOf({
    [`${FOLDER}/a.ts`]: 'import "./b.ts";\nimport "./c.ts";',
    [`${FOLDER}/b.ts`]: 'import "./d.ts";',
    [`${FOLDER}/c.ts`]: 'import "./d.ts";',
    [`${FOLDER}/d.ts`]: "export const end = 1;",
  });
  expect(noImportCycles(workspace)).toEqual([]);
});
