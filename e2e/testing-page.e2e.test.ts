/** The programs of the README of @minikafka/testing, run as they stand, each in a process of its own that has to end by itself. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const README = readFileSync(fromRoot("packages/testing/README.md"), "utf8");
const PROGRAMS = [...README.matchAll(/^```js\n(.*?)^```/gms)].map(([, code = ""]) => code);
/** Their runners are what tools/pack has, in a project of its own. */
const FIXTURES = ["@minikafka/testing/vitest", "@minikafka/testing/node-test"];
const ENVIRONMENT = { ...process.env, KAFKAJS_NO_PARTITIONER_WARNING: "1" };

const [FIRST = "", FAULT = "", STILL = "", RESTART = "", ...OTHERS] = PROGRAMS.filter(
  (code) => !FIXTURES.some((name) => code.includes(name)),
);

/** What it prints, without kafkajs's own log. */
async function printedBy(program: string): Promise<string> {
  // From where the packages are found, as in a project that has installed them.
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], {
    cwd: fromRoot("e2e"),
    env: ENVIRONMENT,
  });
  return stdout.replaceAll(/^\{"level":.*\n/gm, "");
}

test("the README has no program that is run neither here nor by its runner", () => {
  expect(OTHERS).toEqual([]);
  expect(PROGRAMS).toHaveLength(FIXTURES.length + 4);
});

test("the first program sends by kafkajs, sees the record, and ends without `await using`", async () => {
  expect(FIRST).not.toContain("await using");
  expect(await printedBy(FIRST)).toMatch(/^\[\n {2}\{.*key: 'alice',\n {4}value: 'created'/s);
});

test("the fault of the page hits what kafkajs sends, and is proved", async () => {
  expect(await printedBy(FAULT)).toBe("1\n");
});

test("a fault at the SDK's point has no hit by kafkajs, and the page's proof fails by its code", async () => {
  const mistaken = printedBy(FAULT.replace("kafka.Produce", "request.produce"));
  await expect(mistaken).rejects.toMatchObject({
    stderr: expect.stringMatching(/FAULT_NOT_FIRED.*hits: 0/s),
  });
});

test("under a manual clock a consumer group of kafkajs begins, reads and ends by the steps of the page", async () => {
  expect(await printedBy(STILL)).toBe("read paid\n");
});

test("what acks all has acknowledged is there after the power cut of the page, and the application goes on", async () => {
  expect(await printedBy(RESTART)).toBe("[ 'paid' ]\n");
});
