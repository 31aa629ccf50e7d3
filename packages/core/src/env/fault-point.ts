/**
 * Named places where the kernel can be told to fail. The list is closed: a test that arms a point which no longer exists
 * doesn't compile, and a point that no test hits can be found by count.
 *
 * `before_x`: x has not happened. An "error" here means that x is not done and is reported as failed, so nothing that was
 * claimed to fail takes effect. `after_x`: x has happened. An "error" here means that whatever comes next is not done.
 */
import {
  CHECKPOINT_STEP_MEANINGS,
  CHECKPOINTS,
  DISK_OPERATIONS,
  KERNEL_POINTS,
} from "./fault-point-table.ts";

export type CheckpointName = keyof typeof CHECKPOINTS;
export type CheckpointStep = keyof typeof CHECKPOINT_STEP_MEANINGS;
export const CHECKPOINT_STEPS = Object.keys(CHECKPOINT_STEP_MEANINGS) as readonly CheckpointStep[];
export type FaultDiskOperation = keyof typeof DISK_OPERATIONS;

export type FaultPoint =
  | keyof typeof KERNEL_POINTS
  | `${CheckpointName}.${CheckpointStep}`
  | `disk.${FaultDiskOperation}.${"before" | "after"}`;

/** What is the case as the kernel passes each. */
export const FAULT_POINT_MEANINGS: { readonly [Point in FaultPoint]: string } = Object.freeze({
  ...KERNEL_POINTS,
  ...meaningsOfCheckpoints(),
  ...meaningsOfDisk(),
});

export const FAULT_POINTS = Object.keys(FAULT_POINT_MEANINGS) as readonly FaultPoint[];

/**
 * Where the kernel waits anyway, on every pass or on some: for a sync off the thread, for an acknowledgement. Only there it can
 * be delayed or held; everywhere else an act takes effect before it returns.
 */
const WAITING_POINTS = [
  "log.flush.before_sync",
  "log.flush.after_sync",
  "log.flush.before_folder_sync",
  "log.flush.after_folder_sync",
  "log.compact.before_sync",
  "log.compact.after_sync",
  "log.compact.before_folder_sync",
  "log.compact.after_folder_sync",
  "log.truncate.before_sync",
  "log.truncate.after_sync",
  "coordinator.load.before_read",
  "transaction.add_partition.after_write",
  "transaction.prepare.after_write",
  "transaction.marker.before_request",
  "transaction.complete.after_write",
  "manifest.before_sync",
  "manifest.after_folder_sync",
  "producer_snapshot.before_sync",
  "producer_snapshot.after_folder_sync",
  "high_watermarks.before_sync",
  "high_watermarks.after_folder_sync",
  "disk.sync.before",
  "disk.sync.after",
  "disk.sync_folder.before",
  "disk.sync_folder.after",
] as const satisfies readonly FaultPoint[];

/**
 * "error": as a disk that fails. "crash": as a process that dies here. "delay": the pass waits for some time, "hold": until it is
 * let go; passes that don't wait are not seen by those two.
 */
export type FaultAction = "error" | "crash" | "delay" | "hold";

/** True for a name of the list; names from outside (a test script, the wire) are asked first. */
export function isFaultPoint(name: string): name is FaultPoint {
  return FAULT_POINTS.some((point) => point === name);
}

/** Whether a pass of `point` can be delayed or held. */
export function waitsAt(point: FaultPoint): boolean {
  return WAITING_POINTS.some((each) => each === point);
}

/** What can be armed at `point`. */
export function actionsAt(point: FaultPoint): readonly FaultAction[] {
  return waitsAt(point) ? ["error", "crash", "delay", "hold"] : ["error", "crash"];
}

function meaningsOfCheckpoints(): { readonly [Point in `${CheckpointName}.${CheckpointStep}`]: string } {
  const entries = Object.entries(CHECKPOINTS).flatMap(([name, what]) =>
    Object.entries(CHECKPOINT_STEP_MEANINGS).map(([step, meaning]) => [
      `${name}.${step}`,
      `${what}: ${meaning}`,
    ]),
  );
  // Every name with every step, which a list of entries cannot say.
  return Object.fromEntries(entries) as ReturnType<typeof meaningsOfCheckpoints>;
}

function meaningsOfDisk(): {
  readonly [Point in `disk.${FaultDiskOperation}.${"before" | "after"}`]: string;
} {
  const entries = Object.entries(DISK_OPERATIONS).flatMap(([operation, meaning]) => [
    [`disk.${operation}.before`, `before ${meaning}`],
    [`disk.${operation}.after`, `after ${meaning}`],
  ]);
  return Object.fromEntries(entries) as ReturnType<typeof meaningsOfDisk>;
}
