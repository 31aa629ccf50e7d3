/** How long a daemon takes until clients can produce, and what it holds when nobody asks anything of it. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startDaemon } from "./daemon.ts";
import { median } from "./statistics.ts";

/** Time for what a start leaves behind: garbage, the first ticks. */
const REST_MS = 1_500;

export interface AtRest {
  readonly starts: number;
  readonly startMs: number;
  /** `null` where the system does not say. */
  readonly residentBytes: number | null;
}

/** Starts `starts` daemons one after another, each on a new folder in `folder`; the last one rests for a moment. */
export async function measureAtRest(starts: number, folder: string): Promise<AtRest> {
  const startsMs: number[] = [];
  let residentBytes: number | null = null;
  for (let index = 0; index < starts; index += 1) {
    const daemon = await startDaemon(mkdtempSync(join(folder, "start-")));
    startsMs.push(daemon.readyMs);
    if (index === starts - 1) {
      await pause(REST_MS);
      residentBytes = daemon.residentBytes();
    }
    await daemon.stop();
  }
  return { starts, startMs: median(startsMs), residentBytes };
}
