/** The process in which the bound is measured: one message for each measurement, one with what it cost. See bound.ts. */
import { ftruncateSync, openSync } from "node:fs";
import { bareWork } from "./bare-work.ts";
import type { BoundRequest, WorkCost } from "./bound.ts";
import { type BatchLine, linesFor } from "./payload.ts";

const [path = ""] = process.argv.slice(2);
const file = openSync(path, "w");
const made = new Map<string, readonly BatchLine[]>();

function linesOf({ workload }: BoundRequest): readonly BatchLine[] {
  const name = JSON.stringify(workload);
  const lines = made.get(name) ?? linesFor(workload);
  made.set(name, lines);
  return lines;
}

process.on("message", (request: BoundRequest) => {
  const lines = linesOf(request);
  ftruncateSync(file, 0);
  const before = process.cpuUsage();
  const startMs = performance.now();
  const amount = bareWork(lines, request.volumeBytes, file);
  const tookMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(before);
  const cost: WorkCost = { tookMs, ownCpuMs: (user + system) / 1_000, amount };
  process.send?.(cost);
});
process.on("disconnect", () => process.exit());
