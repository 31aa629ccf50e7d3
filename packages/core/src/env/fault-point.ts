/**
 * Named places where the kernel can be told to fail. The list is closed: a test that arms a point which no longer exists
 * doesn't compile, and a point that no test hits can be found by count.
 *
 * `before_x`: x has not happened. An "error" here means that x is not done and is reported as failed, so nothing that was
 * claimed to fail takes effect. `after_x`: x has happened. An "error" here means that whatever comes next is not done.
 */
/** The files that are replaced atomically (log/files/checkpoint-file.ts), each with the same steps. */
const CHECKPOINT_NAMES = [
  "manifest",
  "producer_snapshot",
  "metadata",
  "identity",
  "producer_ids",
  "clean_shutdown",
  "high_watermarks",
  "broker_epoch",
] as const;
export type CheckpointName = (typeof CHECKPOINT_NAMES)[number];

/** `before_folder_sync` would be the same instant as `after_rename`. */
export const CHECKPOINT_STEPS = [
  "before_write",
  "before_sync",
  "before_rename",
  "after_rename",
  "after_folder_sync",
] as const;
export type CheckpointStep = (typeof CHECKPOINT_STEPS)[number];

/** What changes a disk, as env/fault-disk.ts passes it, whatever it is for. */
const DISK_OPERATIONS = [
  "write",
  "truncate",
  "sync",
  "create",
  "rename",
  "remove",
  "make_folder",
  "remove_folder",
  "sync_folder",
] as const;
export type FaultDiskOperation = (typeof DISK_OPERATIONS)[number];

const LOG_AND_CLUSTER_POINTS = [
  "log.append.before_write",
  "log.append.after_write",
  "log.append.before_undo",
  "log.flush.before_sync",
  "log.flush.after_sync",
  "log.flush.before_folder_sync",
  "log.flush.after_folder_sync",
  "log.roll.before_create",
  "log.roll.after_create",
  "log.index.before_write",
  "log.index.after_write",
  "log.time_index.after_write",
  "log.txn_index.before_write",
  "log.txn_index.after_write",
  "log.compact.before_create",
  "log.compact.before_write",
  "log.compact.after_write",
  "log.compact.before_sync",
  "log.compact.after_sync",
  "log.compact.before_folder_sync",
  "log.compact.after_folder_sync",
  "log.truncate.before_remove",
  "log.truncate.after_remove",
  "log.truncate.before_cut",
  "log.truncate.after_cut",
  "log.truncate.before_sync",
  "log.truncate.after_sync",
  "log.restart.before_create",
  "log.restart.after_create",
  "log.obsolete.before_remove",
  "log.obsolete.after_remove",
  "log.recovery.before_truncate",
  "log.recovery.after_truncate",
  "log.recovery.before_remove",
  "log.recovery.after_remove",
  "topic.create.before_folders",
  "topic.create.after_folders",
  "topic.create.after_metadata",
  "topic.grow.before_folders",
  "topic.grow.after_folders",
  "topic.grow.after_metadata",
  "topic.alter.before_metadata",
  "topic.alter.after_metadata",
  "topic.delete.before_metadata",
  "topic.delete.after_metadata",
  "topic.delete.before_remove",
  "topic.delete.after_remove",
  "coordinator.load.before_read",
  "coordinator.write.before_append",
  "coordinator.write.after_append",
  "transaction.add_partition.before_write",
  "transaction.add_partition.after_write",
  "transaction.prepare.before_write",
  "transaction.prepare.after_write",
  "transaction.marker.before_request",
  "transaction.marker.before_append",
  "transaction.marker.after_append",
  "transaction.complete.before_write",
  "transaction.complete.after_write",
] as const;

export type FaultPoint =
  | (typeof LOG_AND_CLUSTER_POINTS)[number]
  | `${CheckpointName}.${CheckpointStep}`
  | `disk.${FaultDiskOperation}.${"before" | "after"}`;

export const FAULT_POINTS: readonly FaultPoint[] = [
  ...LOG_AND_CLUSTER_POINTS,
  ...CHECKPOINT_NAMES.flatMap((name) => CHECKPOINT_STEPS.map((step) => `${name}.${step}` as const)),
  ...DISK_OPERATIONS.flatMap((name) => [`disk.${name}.before`, `disk.${name}.after`] as const),
];

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
