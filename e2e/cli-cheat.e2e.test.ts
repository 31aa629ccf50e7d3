/** The cheat sheets, typed as they are printed. */
import { expect, test } from "vitest";
import { command as commandOf, output } from "./support/cli.ts";
import { startStated } from "./support/stated-broker.ts";
import { TypedShell } from "./support/typed-shell.ts";

interface Sheet {
  readonly name: string;
  readonly broker: string;
  readonly commands: readonly { readonly about: string | null; readonly command: string }[];
}

const { sheets } = JSON.parse(await output(null, ["cheat", "-J"])) as { sheets: { name: string }[] };

test.for(sheets)(
  "every command of the sheet $name works as it stands, one after the other",
  async ({ name }) => {
    const sheet = JSON.parse(await output(null, ["cheat", name, "-J"])) as Sheet;
    const printed = await output(null, ["cheat", name]);
    expect(printed.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual(
      sheet.commands.map((each) => each.command),
    );
    const shell = await TypedShell.open();
    const broker = await startStated(sheet.broker, shell.folder);
    await shell.type(`export MINIKAFKA_BROKER=127.0.0.1:${broker.port}`);
    const { status, stderr, commands } = await shell.type(printed, { strict: true });
    expect({ status, stderr: stderr.replaceAll(/^%.*\n/gm, "") }).toEqual({ status: 0, stderr: "" });
    const typed = sheet.commands.flatMap(({ command }) => command.match(/minikafka-cli /g) ?? []).length;
    expect(commands.length).toBeGreaterThanOrEqual(typed);
  },
);

test("cheat lists its sheets, and knows what was meant by a name that is none", async () => {
  const listed = await output(null, ["cheat"]);
  expect(listed.split("\n")[0]).toBe("SHEET         TITLE");
  for (const { name } of sheets) expect(listed).toContain(`\n${name} `);
  const { code, stderr } = await commandOf(null, ["cheat", "produec"]);
  expect(code).toBe(3);
  expect(stderr).toBe("error: NOT_FOUND: there is no cheat sheet produec\nhint: did you mean produce?\n");
});
