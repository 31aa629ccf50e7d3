import { expect, test } from "vitest";
import { bansNeedTheirExceptions, noBannedCalls } from "./banned-calls.ts";
import { workspaceOf } from "./workspace.ts";

function problems(path: string, text: string): string[] {
  return noBannedCalls(workspaceOf({ [path]: text }));
}

test.for([
  "Date.now();",
  'Date["now"]();',
  "new Date();",
  "Date();",
  "const { now } = Date;",
  "performance.now();",
  "Math.random();",
  "const { random } = Math;",
  "crypto.randomUUID();",
  'import { randomBytes } from "node:crypto";',
  "setTimeout(() => 1, 5);",
  "const later = setTimeout;",
  "const timers = { setInterval };",
  "setImmediate(() => 1);",
  "queueMicrotask(() => 1);",
  'import { setTimeout as sleep } from "node:timers/promises";',
  "console.log(1);",
  "process.env;",
  "process.exit(1);",
  'import { readFileSync } from "node:fs";',
  'import { open } from "fs/promises";',
  'import { connect } from "node:net";',
  "await fetch(url);",
  "globalThis.Date;",
  "AbortSignal.timeout(5);",
  "Atomics.wait(cell, 0, 0, 5);",
  'import { hostname } from "node:os";',
  'import { createRequire } from "node:module";',
  "function go(process: Step) { process.go(); } process.exit();",
  "{ const Date = 1; } for (const console of all) {} Date.now();",
])("the kernel may not use: %s", (text) => {
  expect(problems("packages/core/src/log/segment.ts", `${text}\nexport {};`)).toEqual([
    expect.stringMatching(
      /^packages\/core\/src\/log\/segment\.ts:1: .* is banned in packages\/core\/src\/; use \w/,
    ),
  ]);
});

test.for([
  "new Date(env.clock.nowMs()).toISOString();",
  "Date.UTC(2020, 1);",
  "Math.max(1, 2);",
  "const when: Date = env.start;",
  "let timer: ReturnType<typeof setTimeout>;",
  "disk.process.exit();",
  "const options = { console: true, process: 1 };",
  "function run(process: Step) { return process.go(); }",
  "// Date.now() and setTimeout in a comment",
  'const text = "Date.now()" + `console.log`;',
])("the kernel may use: %s", (text) => {
  expect(problems("packages/core/src/log/segment.ts", `${text}\nexport {};`)).toEqual([]);
});

test("code within a template's holes is seen", () => {
  expect(problems("packages/core/src/a.ts", `export const a = \`\${Date.now()}\`;`)).toHaveLength(1);
});

test.for([
  ["packages/record/src/a.ts", 'import "node:fs";'],
  ["packages/protocol/src/json/a.ts", "Date.now();"],
  ["packages/client/src/producer/a.ts", "setTimeout(() => 1);"],
  ["packages/client/src/producer/a.ts", "Math.random();"],
  ["apps/broker/src/a.ts", "console.log(1);"],
  ["apps/broker/src/json/a.ts", "setTimeout(() => 1);"],
  ["apps/broker/src/json/a.ts", "process.exit(1);"],
  ["apps/cli/src/commands/a.ts", "console.log(1);"],
] as const)("%s may not hold %s", ([path, text]) => {
  expect(problems(path, `${text}\nexport {};`)).toHaveLength(1);
});

test.for([
  ["packages/core/src/env/node-disk.ts", 'import "node:fs";'],
  ["packages/core/src/env/node-clock.ts", "Date.now();"],
  ["packages/core/src/log/segment.test.ts", 'import "node:fs";'],
  ["apps/broker/src/system-timers.ts", "setTimeout(() => 1);"],
] as const)("%s may hold %s", ([path, text]) => {
  expect(problems(path, `${text}\nexport {};`)).toEqual([]);
});

test("an exception that is not needed is found", () => {
  const used = workspaceOf({ "packages/core/src/env/node-clock.ts": "export const now = Date.now();" });
  const idle = workspaceOf({ "packages/core/src/env/node-clock.ts": "export const now = 0;" });
  const problem = expect.stringContaining(
    "packages/core/src/env/node-clock.ts needs no exception for the time it is",
  );
  expect(bansNeedTheirExceptions(used)).not.toContainEqual(problem);
  expect(bansNeedTheirExceptions(idle)).toContainEqual(problem);
});
