import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

const run = promisify(execFile);
const example = (name: string) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));

test("the first record's example prints where it went and what came back, each time it is run", async () => {
  const daemon = await startDaemon(temporaryFolder());
  const env = { ...process.env, MINIKAFKA_BROKER: `127.0.0.1:${daemon.port}` };
  for (const offset of [0, 1]) {
    const { stdout } = await run(process.execPath, [example("first-record.mjs")], { env });
    expect(stdout).toBe(`partition=1 offset=${offset}\n[ ${offset}, 'alice', 'created' ]\n`);
  }
});

test("the example in one process prints one partition and the values in order", async () => {
  const { stdout } = await run(process.execPath, [example("one-process.mjs")]);
  expect(stdout).toBe("Set(1) { 1 }\n{ logEndOffset: 3, visibleEnd: 3 }\n[ '0', '1', '2' ]\n");
});

test("the example with three brokers shows each round, and that what acks all promised is there after a promotion", async () => {
  const { stdout } = await run(process.execPath, [example("three-brokers.mjs")]);
  expect(stdout.split("\n")).toEqual([
    "appended      ends 1 0 0  visible 0  in sync 1,2,3",
    "broker 2 has  ends 1 1 0  visible 0  in sync 1,2,3",
    "all have      ends 1 1 1  visible 1  in sync 1,2,3",
    "acknowledged: offset 0",
    "2 leads       ends - 1 1  visible 1  in sync 2,3",
    "fetched: paid",
    "",
  ]);
});

test("the example with a work queue shares the partitions out between two workers, and each job is done once", async () => {
  const { stdout } = await run(process.execPath, [example("work-queue.mjs")]);
  expect(stdout.split("\n")).toEqual([
    "ann reads 0 1 2 3",
    "ann did a0 a1 a2 a3",
    "ann reads 0 2",
    "bob reads 1 3",
    "ann did b0 b2",
    "bob did b1 b3",
    "ann reads 0 2 1 3",
    "ann did c0 c1 c2 c3",
    "committed: 3 3 3 3",
    "",
  ]);
});

test("the example with lost answers has two records of one without idempotence, one with it, and a race as it was set up", async () => {
  const { stdout } = await run(process.execPath, [example("lost-answers.mjs")]);
  expect(stdout.split("\n")).toEqual([
    "plain: nobody knows, so it is sent again",
    "plain: paid paid",
    "idempotent: acknowledged",
    "idempotent: paid",
    "race: quick slow",
    "",
  ]);
});

test("the exactly-once example pays for each order once, though one attempt breaks in the middle", async () => {
  const { stdout } = await run(process.execPath, [example("exactly-once.mjs")]);
  expect(stdout.split("\n")).toEqual([
    "attempt 1: committed 2",
    "attempt 2: aborted, out of paper",
    "attempt 3: committed 2",
    "attempt 4: committed 2",
    "payments: 6 committed, 8 in the log",
    "orders paid for: 0:3 1:3",
    "",
  ]);
});

test("without a broker the first record's example says how to start one", async () => {
  const daemon = await startDaemon(temporaryFolder());
  await daemon.end("SIGTERM");
  const env = { ...process.env, MINIKAFKA_BROKER: `127.0.0.1:${daemon.port}` };
  const failed = run(process.execPath, [example("first-record.mjs")], { env });
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("npm start") });
});
