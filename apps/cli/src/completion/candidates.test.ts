import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../program.ts";
import { completionOf } from "./candidates.ts";
import { kindsOfArgument, kindsOfValue } from "./kinds.ts";

const program = createProgram(() => Promise.reject(new Error("not run")), {});
const NAMES = { topics: ["orders", "payments"], partitions: ["0", "1"], groups: ["billing"] };

async function wordsAfter(...words: string[]) {
  const asked: string[] = [];
  const found = await completionOf(program, words, async (kind) => {
    asked.push(kind);
    return (NAMES[kind as keyof typeof NAMES] ?? [`<${kind}>`]).map((word) => ({ word }));
  });
  return { words: found.candidates.map(({ word }) => word), files: found.files, asked };
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

test("of every argument and every option's value in the program somebody has said what it is", () => {
  const unsaid = everyCommand(program)
    .filter((command) => !command.name().startsWith("__"))
    .flatMap((command) => [
      ...command.registeredArguments
        .filter((argument) => kindsOfArgument(command, argument) === null)
        .map((argument) => `${command.name()} ${argument.name()}`),
      ...command.options
        .filter((option) => option.required && kindsOfValue(command, option) === null)
        .map(({ flags }) => `${command.name()} ${flags}`),
    ]);
  expect(unsaid).toEqual([]);
});

test.each([
  ["topics de", ["describe", "delete"]],
  ["topic al", ["alter"]],
  ["help to", ["topics"]],
  ["help topics cr", []],
  ["topics help cr", ["create"]],
  ["fetch --iso", ["--isolation"]],
  ["fetch orders --isolation ", ["read_uncommitted", "read_committed"]],
  ["fetch orders --isolation=read_c", ["--isolation=read_committed"]],
  ["fetch orders -p ", ["0", "1"]],
  ["fetch orders -p1", ["-p1"]],
  ["fetch orders -ep ", ["0", "1"]],
  ["fetch -p 0 or", ["orders"]],
  ["-q fetch pay", ["payments"]],
  ["topics describe orders ", ["payments"]],
  ["topics create ", []],
  ["fetch orders ", []],
  ["fetch -- o", ["orders"]],
  ["fetch -- --iso", []],
  ["consume orders -g b", ["billing"]],
  ["consume orders --assignor r", ["roundrobin", "range"]],
  ["groups seek billing --topic ", ["orders", "payments"]],
  ["completion ", ["bash", "zsh", "fish"]],
  ["nonsense ", []],
])("%j is completed", async (line, words) => {
  expect((await wordsAfter(...line.split(" "))).words).toEqual(words);
});

test("every command is offered at the beginning, and the one that scripts call is not", async () => {
  const { words } = await wordsAfter("");
  const visible = program.commands.map((command) => command.name()).filter((name) => !name.startsWith("__"));
  expect(words).toEqual([...visible, "help"]);
});

test("every option of a command is offered, those of all commands among them", async () => {
  const { words } = await wordsAfter("ping", "-");
  expect(words).toEqual(["--broker", "--context", "--json", "--quiet", "--timeout", "--help"]);
});

test("nobody is asked for names where none can stand", async () => {
  for (const line of ["", "topics ", "topics de", "fetch --", "produce orders -v ", "topics create "])
    expect((await wordsAfter(...line.split(" "))).asked, line).toEqual([]);
});

test("files are the shell's where they may stand, beside the broker's topics", async () => {
  expect(await wordsAfter("log", "dump", "o")).toMatchObject({ words: ["orders"], files: true });
  expect(await wordsAfter("trace", "--save", "")).toMatchObject({ words: [], files: true });
  expect(await wordsAfter("fetch", "o")).toMatchObject({ words: ["orders"], files: false });
});

test("what a value is goes by its command: an id is of a transaction, a name of a snapshot or a lab", async () => {
  expect((await wordsAfter("tx", "abort", "")).asked).toEqual(["transactional ids"]);
  expect((await wordsAfter("snapshot", "load", "")).asked).toEqual(["snapshots"]);
  expect((await wordsAfter("snapshot", "save", "")).asked).toEqual([]);
  expect((await wordsAfter("lab", "run", "")).asked).toEqual(["labs"]);
});
