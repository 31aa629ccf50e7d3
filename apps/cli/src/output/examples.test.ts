import { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../program.ts";
import { everyExample, examples, examplesOf } from "./examples.ts";

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

test("every command has examples, unless it is there for scripts, or for the commands in it", () => {
  const program = createProgram(() => Promise.resolve(), {});
  const bare = everyCommand(program).filter(
    (command) =>
      !command.name().startsWith("__") && command.commands.length === 0 && examplesOf(command).length === 0,
  );
  expect(bare.map((command) => command.name())).toEqual([]);
  expect(everyExample(program).length).toBeGreaterThan(100);
});

test("the examples of a tree are those of each command, each once, and no remark of the help", () => {
  const program = new Command("shop").addHelpText("after", examples(["shop open"], "It is closed at night."));
  program.command("open").addHelpText("after", examples(["shop open", "shop open | tee log"]));
  program.command("close");
  expect(everyExample(program)).toEqual(["shop open", "shop open | tee log"]);
});
