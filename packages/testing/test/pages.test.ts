/** The programs of the pages run as they stand, and print what the comments under them, or behind a line, say that they print. */
import { readFileSync } from "node:fs";
import { formatWithOptions } from "node:util";
import * as sdk from "@minikafka/client";
import { expect, test } from "vitest";
import * as testing from "../src/index.ts";

interface Program {
  readonly code: string;
  readonly prints: readonly string[];
}

function pageOf(name: string): string {
  return readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
}

/** Under a heading of a page. */
function programOf(page: string, heading: string): Program {
  const [, part = ""] = pageOf(page).split(`\n## ${heading}\n`);
  const code = /```js\n(.*?)```/s.exec(part.split("\n## ")[0] ?? "")?.[1];
  if (code === undefined) throw new Error(`${page} has no program under ${heading}`);
  const below = [...code.matchAll(/^\/\/ (.*)$/gm)];
  const behind = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)];
  return { code, prints: [...behind, ...below].map(([, said = ""]) => said) };
}

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

/** What it prints. Its imports become what a test may have of them. */
async function printedBy({ code }: Program, client: sdk.Client | null): Promise<string[]> {
  const modules: { readonly [name: string]: unknown } = {
    "@minikafka/client": sdk,
    "@minikafka/testing": testing,
    "node:diagnostics_channel": await import("node:diagnostics_channel"),
    "node:stream/web": await import("node:stream/web"),
  };
  const body = code.replace(/^import (\{[^}]*\}) from ("[^"]*");$/gm, "const $1 = modules[$2];");
  const printed: string[] = [];
  const log = (...values: unknown[]) => void printed.push(formatWithOptions({ colors: false }, ...values));
  await new AsyncFunction("modules", "console", "client", body)(modules, { log }, client);
  return printed;
}

const SECTIONS = [
  "Typed records",
  "A record that cannot be read",
  "Batches",
  "Streams",
  "Signals",
  "Diagnostics",
];

test("no program of the SDK's page is passed over, but for its connection at the top", () => {
  const [, ...parts] = pageOf("sdk.md").split("\n## ");
  const withPrograms = parts.filter((part) => part.includes("\n```js\n"));
  expect(withPrograms.map((part) => part.split("\n")[0])).toEqual(SECTIONS);
});

test.for(SECTIONS)("the program under %s of the SDK's page prints what it says", async (heading) => {
  const program = programOf("sdk.md", heading);
  const broker = await testing.startBroker({ topics: { orders: 1 }, kafka: false });
  try {
    expect(program.prints.length).toBeGreaterThan(0);
    expect(await printedBy(program, broker.client)).toEqual(program.prints);
  } finally {
    await broker.close();
  }
});

test("the test of the page about faults arms one, and prints what it saw of it", async () => {
  const program = programOf("breaking-things.md", "In a test");
  expect(await printedBy(program, null)).toEqual(program.prints);
});
