import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CliError } from "../failure.ts";
import { contextsFile } from "./context-place.ts";
import { type Named, targetOf } from "./target.ts";

const FILE = {
  version: 1,
  current: "local",
  contexts: { local: { broker: "local:1" }, spare: { broker: "spare:2" } },
};

/** An environment whose file of contexts holds `document`, or nothing where it is left out. */
function worldWith(document?: unknown, variables: { readonly [name: string]: string } = {}) {
  const XDG_CONFIG_HOME = mkdtempSync(join(tmpdir(), "minikafka-contexts-"));
  onTestFinished(() => rmSync(XDG_CONFIG_HOME, { recursive: true, force: true }));
  const env = { XDG_CONFIG_HOME, ...variables };
  if (document === undefined) return env;
  mkdirSync(join(XDG_CONFIG_HOME, "minikafka"));
  writeFileSync(contextsFile(env), typeof document === "string" ? document : JSON.stringify(document));
  return env;
}

function refusal(named: Named, env: ReturnType<typeof worldWith>) {
  try {
    targetOf(named, env);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const BROKER = { host: "flag", port: 9 };

test.each<readonly [string, Named, { readonly [name: string]: string }, string, string | null]>([
  ["the line's broker", { broker: BROKER }, { MINIKAFKA_BROKER: "third:3" }, "flag", null],
  ["the line's context", { context: "spare" }, { MINIKAFKA_BROKER: "third:3" }, "spare", "spare"],
  ["the line's context", { context: "spare" }, { MINIKAFKA_CONTEXT: "local" }, "spare", "spare"],
  ["the environment's broker", {}, { MINIKAFKA_BROKER: "third:3" }, "third", null],
  ["the environment's context", {}, { MINIKAFKA_CONTEXT: "spare" }, "spare", "spare"],
  ["the current context", {}, {}, "local", "local"],
  ["the current context", {}, { MINIKAFKA_BROKER: "", MINIKAFKA_CONTEXT: "" }, "local", "local"],
])("%s counts: %j, %j", (_which, named, variables, host, context) => {
  const target = targetOf(named, worldWith(FILE, variables));
  expect([target.address.host, target.context]).toEqual([host, context]);
});

test("without a file, or with none that is current, it is the daemon's own default", () => {
  const worlds = [undefined, { ...FILE, current: null }, { version: 1, contexts: {} }].map((document) =>
    worldWith(document),
  );
  for (const env of [...worlds, { HOME: "/dev/null" }])
    expect(targetOf({}, env)).toEqual({ address: { host: "127.0.0.1", port: 9192 }, context: null });
});

test("two brokers in the environment are refused, and neither is taken; one on the line goes before both", () => {
  const both = { MINIKAFKA_BROKER: "third:3", MINIKAFKA_CONTEXT: "local" };
  expect(refusal({}, worldWith(FILE, both))).toMatchObject({ code: "USAGE" });
  expect(targetOf({ context: "spare" }, worldWith(FILE, both)).context).toBe("spare");
});

test("a name that there is not is told, with what may have been meant", () => {
  expect(refusal({ context: "sprae" }, worldWith(FILE))).toMatchObject({
    code: "UNKNOWN_CONTEXT",
    hint: "did you mean spare?",
  });
  expect(refusal({ context: "toString" }, worldWith(FILE)).code).toBe("UNKNOWN_CONTEXT");
});

test.each([
  ["", /no file of contexts/],
  ['{"version":1', /no file of contexts/],
  ["[]", /all of it is no object/],
  [{ ...FILE, version: 2 }, /its version is 2; this program reads 1/],
  [{ ...FILE, contexts: [] }, /contexts is no object/],
  [{ ...FILE, contexts: { local: "a:1" } }, /contexts\.local is no object/],
  [{ ...FILE, contexts: { local: { broker: 1 } } }, /contexts\.local\.broker is no text/],
  [
    { ...FILE, contexts: { local: { broker: "a:b" } } },
    /contexts\.local\.broker is "a:b"\. Expected host:port/,
  ],
  [{ ...FILE, contexts: { "-x": { broker: "a:1" } } }, /"-x" is no name of a context/],
  [{ ...FILE, current: "gone" }, /current is "gone", which is none of its contexts/],
])(
  "a file that is none of contexts is refused where it counts, and nowhere else: %j",
  (document, problem) => {
    const env = worldWith(document);
    const { code, message, hint } = refusal({}, env);
    expect([code, hint]).toEqual(["INVALID_CONTEXTS", expect.stringContaining("move it away")]);
    expect(message).toMatch(problem);
    expect(message).toContain(contextsFile(env));
    expect(targetOf({ broker: BROKER }, env).address).toEqual(BROKER);
    expect(targetOf({}, { ...env, MINIKAFKA_BROKER: "third:3" }).address.host).toBe("third");
  },
);
