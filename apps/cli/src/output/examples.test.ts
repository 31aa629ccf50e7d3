import type { Command } from "commander";
import { expect, test } from "vitest";
import { wordsOf } from "../labs/lab-script.ts";
import { createProgram } from "../program.ts";

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** The lines under "Examples:" of a command's help. */
function examplesOf(command: Command): string[] {
  let help = "";
  const writeOut = (text: string) => {
    help += text;
  };
  command.configureOutput({ writeOut }).outputHelp();
  const [, below = ""] = help.split("\nExamples:\n");
  return (
    below
      .split("\n\n")[0]
      ?.split("\n")
      .map((line) => line.trim()) ?? []
  );
}

/** Each call of the program in a line of a shell, as words, without what belongs to the shell. */
function callsIn(line: string): string[][] {
  return line
    .split(/ (?:\||&&|<|\d?>)|\)"?$/)
    .flatMap((part) => part.match(/minikafka-cli (.*)/)?.slice(1, 2) ?? [])
    .map((call) => wordsOf(call));
}

const lines = [
  ...new Set(everyCommand(createProgram(() => Promise.resolve(), {})).flatMap((each) => examplesOf(each))),
].filter((line) => line !== "");

test("every command has examples, unless it is there for scripts, or for the commands in it", () => {
  const bare = everyCommand(createProgram(() => Promise.resolve(), {})).filter(
    (command) =>
      !command.name().startsWith("__") &&
      command.commands.length === 0 &&
      examplesOf(command).join("") === "",
  );
  expect(bare.map((command) => command.name())).toEqual([]);
  expect(lines.length).toBeGreaterThan(100);
});

test.each(lines)("what help shows is taken: %s", async (line) => {
  const calls = callsIn(line);
  expect(calls.length).toBeGreaterThan(0);
  for (const words of calls) {
    let ran = 0;
    const perform = async () => {
      ran += 1;
    };
    const program = createProgram(perform, { writeErr: () => undefined });
    for (const command of everyCommand(program)) command.exitOverride();
    await program.parseAsync(words, { from: "user" });
    expect([words, ran]).toEqual([words, 1]);
  }
});
