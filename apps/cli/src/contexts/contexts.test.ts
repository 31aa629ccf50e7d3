/** The commands, from their line to their file. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testWorld } from "../../test/world.ts";
import { run } from "../run.ts";

/** A user with a folder of settings, and what he types. */
function user() {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-contexts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "minikafka", "contexts.json");
  const types = async (line: string, variables: { readonly [name: string]: string } = {}) => {
    const world = testWorld({ env: { XDG_CONFIG_HOME: folder, ...variables } });
    return { code: await run(line.split(" "), world), ...world.said };
  };
  return { file, types, folder };
}

test("brokers are named, listed, chosen and forgotten, and the file is whole after each", async () => {
  const { file, types } = user();
  expect(await types("context list")).toMatchObject({ code: 0, stdout: "" });
  expect(existsSync(file)).toBe(false);
  await types("context add local 127.0.0.1:9192 --use");
  expect((await types("context add spare [::1]:9193")).stderr).toContain("minikafka-cli context use spare");
  expect((await types("context list")).stdout).toBe(
    "NAME   BROKER          CURRENT\nlocal  127.0.0.1:9192  *\nspare  [::1]:9193      -\n",
  );
  await types("context use spare");
  expect(JSON.parse((await types("context list -J")).stdout)).toEqual({
    current: "spare",
    contexts: [
      { name: "local", broker: "127.0.0.1:9192", current: false },
      { name: "spare", broker: "[::1]:9193", current: true },
    ],
  });
  expect((await types("context remove spare")).stderr).toContain("the default counts again");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    version: 1,
    current: null,
    contexts: { local: { broker: "127.0.0.1:9192" } },
  });
  await types("context use local");
  await types("context use --none");
  expect(JSON.parse((await types("context list -J")).stdout).current).toBeNull();
  expect(readdirSync(join(file, ".."))).toEqual(["contexts.json"]);
});

test("a name that is taken is not given to another broker unawares", async () => {
  const { types } = user();
  await types("context add local 127.0.0.1:9192");
  const again = await types("context add local 127.0.0.1:9193");
  expect([again.code, again.stderr]).toEqual([
    5,
    expect.stringMatching(/^error: CONTEXT_EXISTS: .* for 127\.0\.0\.1:9192\nhint: --replace .*\n$/),
  ]);
  expect((await types("context add local 127.0.0.1:9193 --replace")).code).toBe(0);
  expect((await types("context list")).stdout).toContain("127.0.0.1:9193");
});

test.each([
  ["context add -x 127.0.0.1:9192", 2],
  ["context add a/b 127.0.0.1:9192", 2],
  ["context add local host:port:more", 2],
  ["context use", 2],
  ["context use local --none", 2],
  ["context use nope", 3],
  ["context remove nope", 3],
  ["ping --context nope", 3],
  ["ping -b 127.0.0.1:1 --context nope", 2],
  ["--context nope ping -b 127.0.0.1:1", 2],
])("%s is refused with %d, and makes no file", async (line, code) => {
  const { file, types } = user();
  const refused = await types(line);
  expect([refused.code, refused.stdout]).toEqual([code, ""]);
  expect(refused.stderr).toMatch(/^error: [A-Z_]+: .*\nhint: .*\n$/);
  expect(existsSync(file)).toBe(false);
});

test("who is told that nobody answers is told which context named the broker", async () => {
  const { types } = user();
  await types("context add gone 127.0.0.1:1 --use");
  for (const [line, variables] of [
    ["ping", {}],
    ["ping --context gone", {}],
    ["raw {}", { MINIKAFKA_CONTEXT: "gone" }],
  ] as const) {
    const { code, stderr } = await types(line, variables);
    expect([line, code]).toEqual([line, 7]);
    expect(stderr).toMatch(/^error: CONNECTION: .* \(context gone\)\nhint: .* the context gone says\?/);
  }
  const { stderr } = await types("ping -J");
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: "CONNECTION", details: { context: "gone" } } });
  expect((await types("ping -b 127.0.0.1:1")).stderr).not.toContain("context");
});

test("who is told that nobody answers is told that a variable named the broker, unless the line did", async () => {
  const { types } = user();
  const variables = { MINIKAFKA_BROKER: "127.0.0.1:1" };
  const { code, stderr } = await types("ping", variables);
  expect([code, stderr]).toEqual([
    7,
    expect.stringMatching(/\nhint: is a broker running at 127\.0\.0\.1:1, as MINIKAFKA_BROKER says\?/),
  ]);
  expect((await types("ping -b 127.0.0.1:2", variables)).stderr).not.toContain("MINIKAFKA_BROKER");
});

test("a context for a mere port is one for that port of this machine", async () => {
  const { types } = user();
  await types("context add local 9195");
  expect((await types("context list")).stdout).toContain("127.0.0.1:9195");
});

test("a damaged file keeps nobody from what does not need it, and is not written over", async () => {
  const { file, types } = user();
  await types("context add local 127.0.0.1:9192");
  writeFileSync(file, "{");
  for (const line of ["ping", "ping --context local", "context list", "context add spare 127.0.0.1:2"]) {
    const { code, stderr } = await types(line);
    expect([line, code]).toEqual([line, 2]);
    expect(stderr).toMatch(
      /^error: INVALID_CONTEXTS: .*contexts\.json is no file of contexts: .*\nhint: correct it/,
    );
  }
  expect(readFileSync(file, "utf8")).toBe("{");
  for (const line of ["cheat", "completion bash", "lab list", "--help", "context --help"])
    expect([line, (await types(line)).code]).toEqual([line, 0]);
  // Nobody answers there: the file was not asked.
  expect((await types("ping -b 127.0.0.1:1")).code).toBe(7);
  expect((await types("ping", { MINIKAFKA_BROKER: "127.0.0.1:1" })).code).toBe(7);
});

test("a file that cannot be written is told, with what else may be done", async () => {
  const { folder, types } = user();
  writeFileSync(join(folder, "minikafka"), "in the way");
  const { code, stderr } = await types("context add local 127.0.0.1:9192");
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^error: INVALID_CONTEXTS: .*contexts\.json cannot be written: .*\nhint: XDG_CONFIG_HOME/,
    ),
  ]);
  expect(readdirSync(folder)).toEqual(["minikafka"]);
});

test("a file that is a link elsewhere stays one", async ({ skip }) => {
  skip(process.platform === "win32", "on Windows links are not everybody's");
  const { file, types, folder } = user();
  await types("context add local 127.0.0.1:9192");
  const elsewhere = join(folder, "kept.json");
  writeFileSync(elsewhere, readFileSync(file));
  rmSync(file);
  symlinkSync(elsewhere, file);
  await types("context add spare 127.0.0.1:9193");
  expect(readFileSync(elsewhere, "utf8")).toContain("spare");
});

test("names of contexts are completed, though no broker answers, and nothing is where the file is damaged", async () => {
  const { file, types } = user();
  await types("context add local 127.0.0.1:1 --use");
  await types("context add spare 127.0.0.1:1");
  for (const line of ["ping --context ", "context use ", "context remove "])
    expect((await types(`__complete zsh -- ${line}`)).stdout).toMatch(/local.*spare/s);
  writeFileSync(file, "{");
  expect(await types("__complete zsh -- ping --context ")).toMatchObject({ code: 0, stderr: "" });
});
