/** `npm run bench [-- --quick] [-- --json]`: see ../README.md for what the numbers mean. Ends all that it starts. */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connect } from "@minikafka/client";
import { measureAtRest } from "./at-rest.ts";
import { killDaemons, startDaemon } from "./daemon.ts";
import { FULL, type Plan, QUICK } from "./plan.ts";
import { type BenchResult, workloadResults } from "./result.ts";
import { runRounds } from "./rounds.ts";
import { table } from "./table.ts";

const REST_MS = 1_500;

async function measure(plan: Plan, folder: string): Promise<BenchResult> {
  const atRest = await measureAtRest(plan.starts, folder);
  const data = join(folder, "data");
  mkdirSync(data);
  const daemon = await startDaemon(data);
  const client = await connect({ port: daemon.port });
  const file = openSync(join(folder, "bound"), "w");
  const rounds = await runRounds({ daemon, client, file }, plan);
  closeSync(file);
  await client.close();
  await pause(REST_MS);
  const residentBytesAfterLoad = daemon.residentBytes();
  await daemon.stop();
  const processors = cpus();
  const machine = `Node ${process.versions.node}, ${processors.length} processors (${processors[0]?.model ?? "of unknown make"})`;
  const { volumeBytes } = plan;
  const workloads = workloadResults(plan, rounds);
  return { machine, rounds: rounds.count, volumeBytes, workloads, atRest, residentBytesAfterLoad };
}

function options(): { readonly json: boolean; readonly plan: Plan } {
  const { values } = parseArgs({
    options: { json: { type: "boolean", default: false }, quick: { type: "boolean", default: false } },
  });
  return { json: values.json, plan: values.quick ? QUICK : FULL };
}

const { json, plan } = options();
const folder = mkdtempSync(join(tmpdir(), "minikafka-bench-"));
function cleanUp(): void {
  killDaemons();
  rmSync(folder, { recursive: true, force: true });
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    cleanUp();
    process.kill(process.pid, signal);
  });
}
try {
  const result = await measure(plan, folder);
  console.log(json ? JSON.stringify(result) : table(result));
} finally {
  cleanUp();
}
