import { Command } from "commander";
import { expect, test } from "vitest";
import { addSharedOptions, settingsOf } from "./settings.ts";

/** Nobody's folder of settings has contexts here. */
const NOWHERE = { XDG_CONFIG_HOME: "/nowhere" };

function settingsFrom(argv: readonly string[], env: Parameters<typeof settingsOf>[1] = {}) {
  let settings: ReturnType<typeof settingsOf> | null = null;
  const program = new Command().enablePositionalOptions().exitOverride();
  const group = program.command("group");
  const leaf = group.command("leaf").option("-v, --value <text>");
  leaf.action((_options: unknown, self: Command) => {
    settings = settingsOf(self, { ...NOWHERE, ...env });
  });
  for (const command of [program, group, leaf]) addSharedOptions(command);
  program.parse([...argv], { from: "user" });
  if (settings === null) throw new Error("the command did not run");
  const { broker, ...rest } = settings as ReturnType<typeof settingsOf>;
  return { ...rest, broker: broker().address };
}

const GIVEN = {
  broker: { host: "example", port: 7 },
  json: true,
  quiet: true,
  timeoutMs: 2_000,
};

test.each([
  ["-b example:7 -J -q --timeout 2s group leaf"],
  ["group -b example:7 -J -q --timeout 2s leaf"],
  ["group leaf -b example:7 -J -q --timeout 2s"],
  ["-b example:7 group -J leaf -q --timeout 2s"],
])("options may stand before and after the command: %s", (line) => {
  expect(settingsFrom(line.split(" "))).toEqual(GIVEN);
});

test("the option nearest to the end wins, and any option wins over the environment", () => {
  const env = { MINIKAFKA_BROKER: "third:3" };
  expect(settingsFrom(["group", "leaf"], env).broker).toEqual({ host: "third", port: 3 });
  expect(settingsFrom(["-b", "first:1", "group", "leaf"], env).broker).toEqual({ host: "first", port: 1 });
  expect(settingsFrom(["-b", "first:1", "group", "leaf", "-b", "second:2"], env).broker).toEqual({
    host: "second",
    port: 2,
  });
});

test("nothing said means the daemon's own default address, text, and nobody's patience in particular", () => {
  const defaults = { broker: { host: "127.0.0.1", port: 9192 }, json: false, quiet: false, timeoutMs: null };
  expect(settingsFrom(["group", "leaf"])).toEqual(defaults);
  expect(settingsFrom(["group", "leaf"], { MINIKAFKA_BROKER: "" })).toEqual(defaults);
});

test("what looks like a shared option is a value where a value is due", () => {
  expect(settingsFrom(["group", "leaf", "-v", "-J"]).json).toBe(false);
});
