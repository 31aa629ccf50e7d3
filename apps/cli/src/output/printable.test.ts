import { expect, test } from "vitest";
import { testWorld } from "../../test/world.ts";
import { CliError } from "../failure.ts";
import { DataSink } from "./data-sink.ts";
import { Notes } from "./notes.ts";
import { printable } from "./printable.ts";
import { renderFacts, renderTable } from "./table.ts";

const HOSTILE = "\u001b[31mred\nb";
const SHOWN = "\\x1b[31mred\\nb";

test.each([
  [HOSTILE, SHOWN],
  ["\0\t\r\u007f\u0085\u009b", "\\x00\\t\\r\\x7f\\x85\\x9b"],
  ["a\u202eb\u2028c\u061cd", "a\\u202eb\\u2028c\\u061cd"],
  ["Größe 日本 \u{1f600} \\x1b", "Größe 日本 \u{1f600} \\x1b"],
])("%j is printed without what a terminal would obey", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("tables, facts, lines and notes show control characters, and JSON has the name as it is", async () => {
  expect(renderTable(["GROUP", "N"], [[HOSTILE, 1]])).toBe(`GROUP${" ".repeat(11)}N\n${SHOWN}  1\n`);
  expect(renderFacts([["GROUP", HOSTILE]])).toBe(`GROUP  ${SHOWN}\n`);
  const world = testWorld();
  const sink = new DataSink(world.stdout);
  await sink.line(`deleted group ${HOSTILE}`);
  await sink.json({ group_id: HOSTILE });
  expect(world.said.stdout).toBe(`deleted group ${SHOWN}\n${JSON.stringify({ group_id: HOSTILE })}\n`);
  const notes = new Notes(world.stderr, { json: false, quiet: false, env: {} });
  notes.remark(`the group ${HOSTILE} has no members`);
  notes.failure(new CliError("TIMEOUT", HOSTILE), HOSTILE);
  expect(world.said.stderr).toBe(
    `% the group ${SHOWN} has no members\nerror: TIMEOUT: ${SHOWN}\nhint: ${SHOWN}\n`,
  );
});
