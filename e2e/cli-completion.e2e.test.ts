/** The scripts of `completion` in real shells, beside a real broker. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { command, output } from "./support/cli.ts";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

const CLI = fileURLToPath(new URL("../apps/cli/bin/minikafka-cli.cjs", import.meta.url));

type Shell = "bash" | "zsh" | "fish";

const MISSING = "the shell is not installed here";

function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** A folder with the program by its name, as an installation has it on the PATH, and with files to be completed. */
function installed(): string {
  const folder = temporaryFolder();
  const program = join(folder, "minikafka-cli");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(program, 0o755);
  mkdirSync(join(folder, "data"));
  writeFileSync(join(folder, "data", "my log"), "");
  return folder;
}

/** What a shell without a user's settings prints for `script`; it fails when the shell says anything else. */
function said(shell: Shell, script: string, port: number): string[] {
  const folder = installed();
  const { PATH = "" } = process.env;
  const own = shell === "bash" ? ["--norc", "--noprofile"] : shell === "zsh" ? ["-f"] : ["--no-config"];
  const ran = spawnSync(shell, [...own, "-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: {
      HOME: folder,
      PATH: `${folder}${delimiter}${PATH}`,
      MINIKAFKA_BROKER: `127.0.0.1:${port}`,
      // The machine may be busy; who has pressed Tab would not wait for that.
      MINIKAFKA_COMPLETION_TIMEOUT: "1m",
    },
  });
  expect(ran.stderr).toBe("");
  return ran.stdout.split("\n").filter((line) => line !== "");
}

function quoted(word: string): string {
  return `'${word}'`;
}

/** As bash would call the function: the words it has made of each line, the last of them at the cursor. What came of each, by line. */
function inBash(port: number, ...lines: string[][]): string[][] {
  const each = lines.flatMap((words) => [
    `COMP_WORDS=(minikafka-cli ${words.map(quoted).join(" ")}) COMP_CWORD=${words.length}`,
    `_minikafka_cli; printf '%s|' "\${COMPREPLY[@]}"; echo .`,
  ]);
  const installing = ['eval "$(minikafka-cli completion bash)"', "complete -p minikafka-cli"];
  const [installation, ...answers] = said("bash", [...installing, ...each].join("\n"), port);
  expect(installation).toBe("complete -F _minikafka_cli minikafka-cli");
  return answers.map((answer) => answer.split("|").slice(0, -1).filter(Boolean));
}

/** The same of zsh, whose own part, showing and choosing, is left to it. */
function inZsh(port: number, ...words: string[]): string[] {
  const script = [
    "compdef() { true; }",
    `_describe() { print -rl -- \${(P)3}; }`,
    '_files() { print "(files)"; }',
    'eval "$(minikafka-cli completion zsh)"',
    `words=(minikafka-cli ${words.map(quoted).join(" ")}) CURRENT=${words.length + 1}`,
    "_minikafka_cli",
  ];
  return said("zsh", script.join("\n"), port);
}

/** Fish is asked itself. */
function inFish(port: number, ...words: string[]): string[] {
  const line = ["minikafka-cli", ...words].join(" ");
  return said("fish", `minikafka-cli completion fish | source\ncomplete -C "${line}"`, port);
}

async function brokerWithNames() {
  const daemon = await startDaemon(temporaryFolder());
  await output(daemon, ["topics", "create", "orders", "order-lines", "payments", "-p", "2"]);
  for (const group of ["team:billing", "team:audit"])
    await output(daemon, ["offsets", "commit", group, "orders:0=0"]);
  return daemon;
}

test("bash completes commands, options, choices, topics, groups and files, and without a broker what it does not know", async () => {
  const { port, end } = await brokerWithNames();
  const lines = [
    ["topics", "de"],
    ["fetch", "ord"],
    ["fetch", "orders", "--isolation", "=", "read_c"],
    ["groups", "describe", "team", ":", "b"],
    ["log", "dump", "data/my"],
  ];
  const files = ["data/my log"];
  expect(inBash(port, ...lines)).toEqual([
    ["describe", "delete"],
    ["order-lines", "orders"],
    ["read_committed"],
    ["billing"],
    files,
  ]);
  await end("SIGTERM");
  expect(inBash(port, ...lines.slice(0, 2))).toEqual([["describe", "delete"], []]);
});

test("zsh completes the same, and shows what each is about", async ({ skip }) => {
  skip(!isInstalled("zsh"), MISSING);
  const { port } = await brokerWithNames();
  expect(inZsh(port, "topics", "cr")).toEqual(["create:make topics"]);
  expect(inZsh(port, "fetch", "pay")).toEqual(["payments:2 partitions"]);
  expect(inZsh(port, "groups", "describe", "team:b")).toEqual(["team\\:billing:empty"]);
  expect(inZsh(port, "log", "dump", "pay")).toEqual(["payments:2 partitions", "(files)"]);
});

test("fish completes the same, and shows what each is about", async ({ skip }) => {
  skip(!isInstalled("fish"), MISSING);
  const { port } = await brokerWithNames();
  expect(inFish(port, "topics", "cr")).toEqual(["create\tmake topics"]);
  expect(inFish(port, "fetch", "pay")).toEqual(["payments\t2 partitions"]);
  expect(inFish(port, "groups", "describe", "team:b")).toEqual(["team:billing\tempty"]);
  expect(inFish(port, "log", "dump", "da")).toEqual(["data/"]);
});

test("a broker that takes a connection and never answers is waited for no longer than Tab allows, and is no error", async () => {
  const { createServer } = await import("node:net");
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as { port: number };
  expect(await command({ port }, ["__complete", "bash", "--", "fetch", ""])).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
});

test("the script is JSON for who asks for that, and another shell is refused with those that there are", async () => {
  const script = await output(null, ["completion", "fish"]);
  expect(JSON.parse(await output(null, ["completion", "fish", "-J"]))).toEqual({ shell: "fish", script });
  const refused = await command(null, ["completion", "tcsh"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("Allowed choices are bash, zsh, fish.");
});
