/** The second door: what tests and experiments hand to a kernel in place of the world. */

export type { FaultTimes } from "./env/armed-fault.ts";
export { type Clock, ManualClock } from "./env/clock.ts";
export { DISK_CHANGES, type DiskFailure, type DiskFailureOrder } from "./env/disk-failures.ts";
export type { ChangeListener, DiskChange } from "./env/disk-gate.ts";
export { CrashSignal, FaultError, type FaultOrder } from "./env/fault-order.ts";
export { FAULT_POINTS, type FaultPoint } from "./env/fault-point.ts";
export { FaultPoints } from "./env/fault-points.ts";
export type { FaultRule } from "./env/fault-rule.ts";
export { MemoryDisk } from "./env/memory-disk.ts";
export type { Crash } from "./env/memory-nodes.ts";
export { type Random, SeededRandom } from "./env/random.ts";
export { noTrace, TraceCollector, type TraceEvent, type Tracer } from "./env/trace.ts";
