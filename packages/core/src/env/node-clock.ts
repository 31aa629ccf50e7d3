/** The clock on the wall. The one file of the kernel that may read it; who opens a cluster hands it in. */
import type { Clock } from "./clock.ts";

export class SystemClock implements Clock {
  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }
}
