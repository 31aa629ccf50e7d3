/** The programs of `npm run` that take flags: help is help, and what cannot be meant is refused with the usage. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SOAK_HELP, soakOptions } from "./soak-options.mjs";

const MUTANTS = join(import.meta.dirname, "mutants", "main.mjs");

function run(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...words], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("the hunt for mutants says how it is asked, and refuses a flag that it does not know", () => {
  const help = run(MUTANTS, "--help");
  expect([help.status, help.stderr]).toEqual([0, ""]);
  expect(help.stdout).toMatch(/^npm run mutants .*--seeds N/);
  for (const wrong of [["--sedes", "5"], ["--seeds", "0"], ["no-such-mutation"]])
    expect(run(MUTANTS, ...wrong)).toEqual({
      status: 2,
      stdout: "",
      stderr: expect.stringMatching(/^(?!.*node:internal).*\n?.*npm run mutants /s),
    });
});

test("the soak says how it is asked before anything is built", () => {
  const help = run(join(import.meta.dirname, "soak.mjs"), "--help");
  expect(help).toEqual({ status: 0, stdout: `${SOAK_HELP}\n`, stderr: "" });
});

test("the soak's flags come before its environment, and that before what is taken without", () => {
  expect(soakOptions([], {}, 7_999)).toEqual({ kills: "200", minutes: undefined, seed: "7" });
  const env = { MINIKAFKA_KILLS: "3", MINIKAFKA_MINUTES: "1", MINIKAFKA_SEED: "9" };
  expect(soakOptions([], env, 0)).toEqual({ kills: "3", minutes: "1", seed: "9" });
  expect(soakOptions(["--kills", "5", "--seed", "0"], env, 0)).toMatchObject({ kills: "5", seed: "0" });
});

test.each(["--kills 0", "--kills many", "--minutes 0", "--seed x", "--sedes 5", "20"])(
  "what cannot be meant is no soak: %s",
  (line) => {
    expect(soakOptions(line.split(" "), {}, 0)).toMatch(/ /);
  },
);
