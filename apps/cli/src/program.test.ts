import { Command } from "commander";
import { expect, test } from "vitest";
import { PARTS, partsNamed } from "./parts.ts";
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

test.each(PARTS.map(([declare, ...names]) => ({ declare, names })))(
  "a part of the tree is found by each name that it declares, and by no other: $names",
  ({ declare, names }) => {
    const program = new Command();
    declare(program, () => Promise.reject(new Error("not run")));
    const declared = program.commands.flatMap((each) => [each.name(), ...each.aliases()]);
    // What completes a line looks at all the others.
    expect(names).toEqual(declared.filter((name) => name !== "__complete"));
  },
);

test("a line needs the part that it names first, and all where it names none", () => {
  const namesIn = (line: string) => partsNamed(line.split(" ")).map(([, name]) => name);
  expect(namesIn("-b topics:9192 tail watch -e")).toEqual(["fetch"]);
  expect(namesIn("--help")).toEqual([]);
});
