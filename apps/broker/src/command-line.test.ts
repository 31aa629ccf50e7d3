import { expect, test } from "vitest";
import { program } from "./command-line.ts";

test("the help tells what must be given, and what is not there is answered with where to look", () => {
  const help = program().helpInformation();
  expect(help).toMatch(/--data <DIR>[\s\S]*?\(required\)/);
  expect(help.match(/\(required\)/g)).toHaveLength(1);
  let said = "";
  const command = program()
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        said += text;
      },
    });
  expect(() => command.parse(["--nope"], { from: "user" })).toThrow("unknown option");
  expect(said).toContain("hint: minikafka-broker --help");
});
