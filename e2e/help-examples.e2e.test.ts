/** Every example in help, and so in docs/reference/cli.md, carried out as it stands there; the scenes say beside what. */
import { createProgram, everyExample } from "@minikafka/cli";
import { expect, test } from "vitest";
import { CLUSTER, LOGS } from "./help-examples/cluster.ts";
import { GROUPS, TRANSACTIONS } from "./help-examples/groups.ts";
import { EXPIRING, FAULTS, STEPS } from "./help-examples/laboratory.ts";
import { APIS, EXPORTS, IMPORTS, METRICS, WITHOUT_A_BROKER } from "./help-examples/others.ts";
import { BENCHES, RECORDS } from "./help-examples/records.ts";
import { TOPICS } from "./help-examples/topics.ts";
import { play } from "./support/scene.ts";
import { TypedShell } from "./support/typed-shell.ts";

const SCENES = [
  TOPICS,
  RECORDS,
  GROUPS,
  TRANSACTIONS,
  CLUSTER,
  LOGS,
  STEPS,
  EXPIRING,
  FAULTS,
  EXPORTS,
  IMPORTS,
  BENCHES,
  METRICS,
  APIS,
  WITHOUT_A_BROKER,
];

test("every example that help shows has its place in a scene", () => {
  const played = SCENES.flatMap(({ takes }) =>
    takes.filter(({ isShown }) => isShown).map(({ line }) => line),
  );
  const shown = everyExample(createProgram(() => Promise.resolve(), {}));
  const missing = shown.filter((line) => !played.includes(line));
  expect(missing, "examples that no scene of e2e/help-examples types").toEqual([]);
  expect(played.sort(), "what the scenes show, and help does").toEqual(shown.sort());
});

test.for(SCENES)("$title: each example of help does what it is there to show", (scene) => play(scene));

test("where the help of completion says that a script stays, it is put", async () => {
  const completion = createProgram(() => Promise.resolve(), {}).commands.find(
    (each) => each.name() === "completion",
  );
  const help: string[] = [];
  completion?.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp();
  const lines = [...help.join("").matchAll(/^ {2}\w+ +(minikafka-cli completion \w+ > .*)$/gm)].map(
    ([, line = ""]) => line,
  );
  expect(lines).toHaveLength(3);
  const shell = await TypedShell.open();
  // The folders are the shells' own; zsh counts its path of functions from 1.
  await shell.type(
    'mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions; fpath=("" ~)',
  );
  for (const line of lines) {
    const [, file] = / > (.*)$/.exec(line) ?? [];
    const script = file?.replace(/^"(.*)"$/, "$1");
    const { status, stdout } = await shell.type(`${line} && cat ${script}`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("minikafka-cli") });
  }
});
