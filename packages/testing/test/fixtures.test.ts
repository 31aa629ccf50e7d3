/** The fixtures for two test runners, each used as its users do. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect } from "vitest";
import type { TestBroker } from "../src/index.ts";
import { brokerTest } from "../src/vitest.ts";

const seen: TestBroker[] = [];
const test = brokerTest({ topics: { orders: 2 } });

describe("vitest", () => {
  test("a test that asks for a broker has one", async ({ broker }) => {
    seen.push(broker);
    await broker.client.producer().send({ topic: "orders", value: "mine" });
    expect(broker.records("orders")).toHaveLength(1);
  });

  test("the next one has another, in which nothing lies, and the one before is closed", async ({
    broker,
  }) => {
    expect(seen).not.toContain(broker);
    seen.push(broker);
    expect(broker.records("orders")).toEqual([]);
    expect(() => seen[0]?.records("orders")).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });

  test("a test that asks for none has none", () => {
    expect(seen).toHaveLength(2);
  });

  afterAll(() => {
    for (const broker of seen) expect(() => broker.address).toThrow("the broker is closed");
  });
});

test("node:test: each test has a broker of its own, closed after it also when it fails", async () => {
  const program = fileURLToPath(new URL("support/node-test-user.mjs", import.meta.url));
  const { NODE_TEST_CONTEXT: _none, ...env } = process.env;
  const run = promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", program], { env });
  const { stdout } = await run.catch((problem: { stdout: string }) => problem);
  expect(stdout).toContain("ok 1 - uses a broker");
  expect(stdout).toContain("not ok 2 - fails with a broker");
  expect(stdout).toContain("on purpose");
  expect(stdout).toContain("ok 3 - finds both closed");
});
