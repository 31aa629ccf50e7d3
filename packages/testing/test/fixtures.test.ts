/** The fixtures for two test runners, each used as its users do. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, onTestFinished } from "vitest";
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

  test("what is to be done when a test is finished still has its broker", async ({ broker }) => {
    onTestFinished(() => void expect(broker.records("orders")).toEqual([]));
    seen.push(broker);
  });

  test("a test that asks for none has none", () => {
    expect(seen).toHaveLength(3);
  });

  describe("around each", () => {
    test.aroundEach(async (runTest, { broker }) => {
      await runTest();
      expect(broker.records("orders")).toEqual([]);
    });

    test("what goes around a test still has its broker", ({ broker }) => void seen.push(broker));
  });

  afterAll(() => {
    for (const broker of seen) expect(() => broker.address).toThrow("the broker is closed");
  });
});

describe("node:test", () => {
  test("each test has a broker of its own, closed after it also when it fails, and after what it does then itself", async () => {
    const program = fileURLToPath(new URL("support/node-test-user.mjs", import.meta.url));
    const { NODE_TEST_CONTEXT: _none, ...env } = process.env;
    // Of kafkajs 2.2.4, as in leaks.test.ts.
    const flags = ["--disable-warning=TimeoutNegativeWarning", "--test", "--test-reporter=tap"];
    const run = promisify(execFile)(process.execPath, [...flags, program], { env });
    const { stdout } = await run.catch((problem: { stdout: string }) => problem);
    expect(stdout).toContain("\nok 1 - uses a broker");
    expect(stdout).toContain("\nnot ok 2 - fails with a broker");
    expect(stdout).toContain("on purpose");
    expect(stdout).toContain("\nok 3 - finds both closed");
    expect(stdout).toContain("\nnot ok 4 - fails while kafkajs reads");
    expect(stdout).toContain("after it: empty");
    expect(stdout).toContain("\nnot ok 5 - fails when it tidies up");
    expect(stdout).toContain("\nok 6 - finds all closed");
  });
});
