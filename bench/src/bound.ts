/**
 * The bound, in one process of its own: in the client's each would now and then pay for collecting the other's garbage, and
 * what is measured first would look slow.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Cost } from "./cost.ts";
import { endWithUs } from "./daemon.ts";
import type { Workload } from "./plan.ts";

export interface BoundRequest {
  readonly workload: Workload;
  readonly volumeBytes: number;
}

export type WorkCost = Omit<Cost, "daemonCpuMs">;

export interface Bound {
  /** Does the bare work once and says what it cost; the amount is in bytes of values. */
  measure(request: BoundRequest): Promise<WorkCost>;
  stop(): Promise<void>;
}

/** `path` is where it writes: on the disk on which the daemon writes too. */
export function startBound(path: string): Bound {
  const child = fork(fileURLToPath(new URL("./bound-program.js", import.meta.url)), [path]);
  endWithUs(child);
  const ended = once(child, "exit");
  return {
    async measure(request) {
      const answered = once(child, "message");
      child.send(request);
      const broken = ended.then(() => {
        throw new Error("the process of the bound ended by itself");
      });
      const [cost] = await Promise.race([answered, broken]);
      return cost as WorkCost;
    },
    async stop() {
      child.kill();
      await ended;
    },
  };
}
