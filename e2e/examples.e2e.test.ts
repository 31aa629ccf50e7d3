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
