/** After a hundred starts and stops a process holds no more than before; `MINIKAFKA_STARTS=1000` makes it a thousand. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("support/starts.mjs", import.meta.url));
const STARTS = Number(process.env.MINIKAFKA_STARTS ?? 100);
/** What tables and compiled code grow by in a thousand starts is some 3.5 MB, most of it in the first hundred; a hundred brokers that stay take more. */
const GROWN_BYTES_MAX = 6 * 1024 * 1024;

test("brokers that were started, used and closed leave no descriptor, no timer, no memory and no word", async () => {
  const run = promisify(execFile);
  // Of kafkajs 2.2.4: it schedules its queue at -1 minus the time, of which Node 24 warns.
  const flags = ["--expose-gc", "--disable-warning=TimeoutNegativeWarning"];
  const { stdout, stderr } = await run(process.execPath, [...flags, PROGRAM, String(STARTS)]);
  const [line = "", ...others] = stdout.trim().split("\n");
  const left = JSON.parse(line) as { grownBytes: number };
  expect(left).toMatchObject({ starts: STARTS, descriptors: 0, resources: [] });
  expect(left.grownBytes).toBeLessThan(GROWN_BYTES_MAX);
  expect([others, stderr]).toEqual([[], ""]);
});
