import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settingsOf } from "./command-line.ts";

test("without options it takes a hundred seeds, and with a time as many as fit", () => {
  expect(settingsOf([])).toMatchObject({ seed: 1, seeds: 100, minutes: null, workers: 1, shrinks: true });
  expect(settingsOf(["--minutes", "5"])).toMatchObject({ seeds: Number.MAX_SAFE_INTEGER, minutes: 5 });
  expect(settingsOf(["--seeds", "1", "--workers", "4"])).toMatchObject({ workers: 1 });
});

test.each([
  ["--seed abc"],
  ["--seeds abc"],
  ["--seeds 0"],
  ["--seeds -1"],
  ["--seeds 1.5"],
  ["--workers 0"],
  ["--minutes abc"],
  ["--minutes="],
  ["--sede 5"],
  ["5"],
])("what cannot be meant is refused in words, and takes no seed: %s", (line) => {
  const refusal = settingsOf(line.split(" "));
  expect(refusal).toEqual(expect.any(String));
  expect(refusal).not.toBe("help");
});

test("a number below what is possible is refused as one, also without an equals sign", () => {
  expect(settingsOf(["--seed", "-5"])).toBe("--seed is -5; expected a number of at least 0");
});

test("help is help, whatever else is asked", () => {
  expect(settingsOf(["--help", "--seeds", "x"])).toBe("help");
});

test("README's lines are understood as they stand there", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const lines = [...readme.matchAll(/^npm run simulate(?: --)?(.*?)(?:#.*)?$/gm)].map(([, words = ""]) =>
    settingsOf(words.split(" ").filter(Boolean)),
  );
  const asked = [
    { seed: 1, seeds: 100 },
    { seed: 4711, seeds: 1 },
    { minutes: 30, workers: 2 },
    { seeds: 500, save: "lost.json" },
    { script: "lost.json" },
  ];
  expect(lines).toEqual(asked.map((settings) => expect.objectContaining(settings)));
});
