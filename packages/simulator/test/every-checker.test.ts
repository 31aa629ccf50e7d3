/** That no judge is without a case that it must flag, one that it must not, and a line on the page. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { END_CHECKERS } from "../src/checkers/end/end-checkers.ts";
import { HISTORY_CHECKERS } from "../src/checkers/history-checkers.ts";
import { instantCheckers, stateCheckers } from "../src/checkers/state-checkers.ts";

const FOLDER = new URL(".", import.meta.url);

function textOf(name: string): string {
  return readFileSync(new URL(name, FOLDER), "utf8");
}

/** Of the histories made by hand: which checkers those are for that stand behind `call`, up to the next call. */
function namedBehind(call: string): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(FOLDER)) {
    if (!file.endsWith(".test.ts")) continue;
    for (const part of textOf(file).split(/\n {2}(?=test(?:Flagged|Sound|Excused)\()/))
      if (part.startsWith(call))
        for (const [, name = ""] of part.matchAll(/checker: "([^"]+)"/g)) names.add(name);
  }
  return names;
}

describe("every checker of histories", () => {
  const names = HISTORY_CHECKERS.map(({ name }) => name).sort();

  it("has a history that it must flag", () => {
    expect([...namedBehind("testFlagged(")].sort()).toEqual(names);
  });

  it("has a history that it must not, though it was asked", () => {
    expect([...namedBehind("testSound(")].sort()).toEqual(names);
  });
});

describe("the page of the checkers", () => {
  it("says of each what it is to hold, and of no other", () => {
    const all = [...HISTORY_CHECKERS, ...stateCheckers().all, ...END_CHECKERS, ...instantCheckers().all];
    const rows = textOf("../src/checkers/README.md").matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm);
    const told = new Map([...rows].map(([, name = "", promise = ""]) => [name, promise]));
    expect(told).toEqual(new Map(all.map(({ name, promise }) => [name, promise])));
  });
});
