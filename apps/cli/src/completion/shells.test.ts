import { expect, test } from "vitest";
import { answerFor, SHELLS, typedWords } from "./shells.ts";

const none = { files: false };

test.each([
  [
    ["fetch", "orders"],
    ["fetch", "orders"],
  ],
  [
    ["fetch", "--isolation", "=", "re"],
    ["fetch", "--isolation=re"],
  ],
  [
    ["fetch", "--isolation", "="],
    ["fetch", "--isolation="],
  ],
  [
    ["-b", "localhost", ":", "9192", "ping", ""],
    ["-b", "localhost:9192", "ping", ""],
  ],
  [
    ["groups", "describe", "team", ":", "b"],
    ["groups", "describe", "team:b"],
  ],
])("what bash has taken apart, %j, is put together", (given, words) => {
  expect(typedWords("bash", given)).toEqual(words);
});

test.each([
  [["--isolation", "=", "re"], "--isolation=read_committed", "read_committed"],
  [["--isolation", "="], "--isolation=read_committed", "read_committed"],
  [["team", ":", "b"], "team:billing", "billing"],
  [["bill"], "billing", "billing"],
])("bash replaces only the last part of %j", (given, word, replaced) => {
  expect(answerFor("bash", given, { ...none, candidates: [{ word, about: "ignored" }] })).toEqual([replaced]);
});

test("zsh and fish are told what a word is about, on one line, and zsh's colons are no ends of words", () => {
  const candidates = [{ word: "team:a\\b", about: "empty\nnow" }, { word: "plain" }];
  expect(answerFor("zsh", ["te"], { ...none, candidates })).toEqual(["team\\:a\\\\b:empty\\nnow", "plain"]);
  expect(answerFor("fish", ["te"], { candidates, files: true })).toEqual([
    "team:a\\b\tempty\\nnow",
    "plain",
    ":files",
  ]);
});

test.each(SHELLS)("to %s no name is told in pieces: one with a line end in it is left out", (shell) => {
  const candidates = ["g\nnl", "\n", "g\0nul", "g"].map((word) => ({ word }));
  expect(answerFor(shell, ["g"], { ...none, candidates })).toEqual(["g"]);
});
