/** What is said where no cluster is looked at; what is seen of one is in e2e/cli-check.e2e.test.ts. */
import { expect, test } from "vitest";
import { testWorld } from "../../test/world.ts";
import { run } from "../run.ts";

async function ran(...argv: string[]) {
  const world = testWorld({ env: { MINIKAFKA_BROKER: "127.0.0.1:1" } });
  return { code: await run(argv, world), ...world.said };
}

test.each([
  [["check", "--nope"], "UNKNOWN - USAGE: unknown option '--nope'"],
  [["check", "extra"], "UNKNOWN - USAGE: too many arguments"],
  [
    ["check", "--lag-warning", "few"],
    "UNKNOWN - USAGE: option '--lag-warning <n>' argument 'few' is invalid.",
  ],
  [["check", "--lag-warning", "2", "--lag-critical", "1"], "UNKNOWN - USAGE: --lag-warning is above"],
  [["check", "--transaction-age-warning", "5"], "UNKNOWN - USAGE: option '--transaction-age-warning"],
  [["check", "--context", "nope"], "UNKNOWN - UNKNOWN_CONTEXT: there is no context nope"],
  [["-b", "a:1", "check", "--context", "nope"], "UNKNOWN - USAGE: -b and --context exclude each other"],
])("%j says nothing of a cluster, and is neither fine nor CRITICAL to a monitor", async (argv, line) => {
  const { code, stdout, stderr } = await ran(...argv);
  expect([code, stderr]).toEqual([3, ""]);
  expect(stdout).toContain(line);
  expect(stdout.split("\n")).toHaveLength(2);
});

test("a broker that does not answer is CRITICAL, in text and in JSON", async () => {
  const text = await ran("check");
  expect([text.code, text.stderr]).toEqual([2, ""]);
  expect(text.stdout).toMatch(/^CRITICAL - CONNECTION: cannot connect to 127\.0\.0\.1:1: .*\n$/);
  const json = await ran("check", "-J");
  expect([json.code, json.stderr]).toEqual([2, ""]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    status: "CRITICAL",
    exit_code: 2,
    findings: [{ status: "CRITICAL", check: "reachable" }],
    measures: [],
  });
});
