import { expect, test } from "vitest";
import { noLeftOvers } from "./left-overs.ts";
import { workspaceOf } from "./workspace.ts";

test("a note to do something later is found, in code and on pages", () => {
  const later = `${"TO"}${"DO"}`;
  const workspace = workspaceOf({
    "apps/cli/src/run.ts": `const a = 1;\n// ${later}: the rest`,
    "docs/guide.md": `# Guide\n\n${"FIX"}${"ME"} soon`,
    "apps/cli/src/list.ts": `const ${later}S = "METHODS";`,
  });
  expect(noLeftOvers(workspace)).toEqual([
    `apps/cli/src/run.ts:2: ${later}; do it now, or file it and remove the note`,
    `docs/guide.md:3: ${"FIX"}${"ME"}; do it now, or file it and remove the note`,
  ]);
});
