import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "./program.ts";

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((each) => [each, ...everyCommand(each)]);
}

test("every list of commands says what each does as one would ask for it, and its own help in whole sentences", () => {
  const commands = everyCommand(createProgram(() => Promise.reject(new Error("not run")), {}));
  expect(commands.length).toBeGreaterThan(50);
  for (const command of commands) {
    const { summary, description } = { summary: command.summary(), description: command.description() };
    expect(summary, command.name()).toMatch(/^(?!\w+s )[a-z].*[^.]$/);
    expect(description, command.name()).toMatch(/^[A-Z].*\.$/s);
  }
});
