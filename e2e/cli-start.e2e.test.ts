/** What is loaded before the command line knows what it is asked: everybody waits for that, whatever he asks. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const BUNDLE = fileURLToPath(new URL("../apps/cli/bundle/", import.meta.url));

/** The modules of a file of the bundle and of all that it imports before it runs, each named in a remark above it. */
function modulesAtStart(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(BUNDLE + file, "utf8");
  const own = [...text.matchAll(/^\/\/ (?:#region )?(\S+\.[cm]?js)$/gm)].map(([, module = ""]) => module);
  const imported = [...text.matchAll(/^(?:const|var) [^;]*?= require\("\.\/([^"]+)"\);$/gm)];
  return [...own, ...imported.flatMap(([, other = ""]) => modulesAtStart(other, seen))];
}

test("at its start the command line loads itself and commander: neither SDK, nor schemas, nor a codec, nor anything of the broker", () => {
  const modules = modulesAtStart("main.cjs");
  expect(modules).toContain("dist/program.js");
  expect(modules.length).toBeGreaterThan(50);
  // A small function that the broker's refusals have as well.
  const own = /^dist\/|\/record\/dist\/nearest\.js$|\/node_modules\/commander\/|^\\0rolldown\//;
  expect(modules.filter((module) => !own.test(module))).toEqual([]);
});

test("what commands do beyond asking is loaded by them: benches, cheat sheets, labs, and what reads files of logs", () => {
  const modules = modulesAtStart("main.cjs");
  const heavy =
    /^dist\/(?:bench|cheat|labs|log\/folder|own-broker|trace\/replay|completion\/(?:names|candidates))/;
  expect(modules.filter((module) => heavy.test(module))).toEqual([]);
});
