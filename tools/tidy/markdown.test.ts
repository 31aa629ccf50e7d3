import { expect, test } from "vitest";
import { linksLeadSomewhere, pagesHaveOneTitle } from "./markdown.ts";
import { workspaceOf } from "./workspace.ts";

test.for([
  ["none", "Text without a title.\n"],
  ["two", "# One\n\n# Two\n"],
  ["one, not in the first line", "Text\n\n# One\n"],
] as const)("a page with %s is found", ([, text]) => {
  expect(pagesHaveOneTitle(workspaceOf({ "docs/a.md": text }))).toEqual([
    expect.stringContaining("docs/a.md: "),
  ]);
});

test("a comment in a block of code is no title", () => {
  expect(pagesHaveOneTitle(workspaceOf({ "docs/a.md": "# A\n\n```sh\n# run it\n```\n" }))).toEqual([]);
});

function linkProblems(text: string): string[] {
  return linksLeadSomewhere(
    workspaceOf({
      "docs/a.md": `# A page\n\n${text}\n\n## It's \`time_index\` (new)\n`,
      "docs/b.md": "# B\n\n## A part\n",
      "packages/core/src/index.ts": "export {};",
    }),
  );
}

test.for([
  "[x](c.md)",
  "[x](../packages/core/src/gone.ts)",
  "[x](b.md#no-part)",
  "[x](#no-part)",
  "[x]: c.md",
  "[![x](c.png)](b.md)",
])("a link that leads nowhere is found: %s", (text) => {
  expect(linkProblems(text)).toEqual([expect.stringContaining("docs/a.md:3: ")]);
});

test.for([
  "[x](b.md)",
  "[x](b.md#a-part)",
  "[x](#its-time_index-new)",
  "[x](../packages/core/src/index.ts)",
  "[x](../packages/core)",
  "[x](https://example.org/nothing)",
  "`[x](c.md)`",
  "```\n[x](c.md)\n```",
])("a link that leads somewhere, or is none: %s", (text) => {
  expect(linkProblems(text)).toEqual([]);
});
