/**
 * The names of the kernel's fault points, for whoever arms one by type: `before_x` and `after_x` of what is done there. The list
 * belongs to the kernel (core/src/env/fault-point.ts); the broker's tests do not compile while this one differs.
 */

/** Files that are replaced atomically, each by the same steps. */
type ReplacedFile =
  | "manifest"
  | "producer_snapshot"
  | "metadata"
  | "identity"
  | "producer_ids"
  | "clean_shutdown"
  | "high_watermarks"
  | "broker_epoch";

type ReplacementStep =
  | "before_write"
  | "before_sync"
  | "before_rename"
  | "after_rename"
  | "after_folder_sync";

/** What changes a disk, whatever it is for. */
type DiskChange =
  | "write"
  | "truncate"
  | "sync"
  | "create"
  | "rename"
  | "remove"
  | "make_folder"
  | "remove_folder"
  | "sync_folder";

export type KernelFaultPointName =
  | `log.append.${"before_write" | "after_write" | "before_undo"}`
  | `log.flush.${"before_sync" | "after_sync" | "before_folder_sync" | "after_folder_sync"}`
  | `log.roll.${"before_create" | "after_create"}`
  | `log.index.${"before_write" | "after_write"}`
  | "log.time_index.after_write"
  | `log.txn_index.${"before_write" | "after_write"}`
  | `log.compact.${"before_create" | "before_write" | "after_write" | "before_sync" | "after_sync" | "before_folder_sync" | "after_folder_sync"}`
  | `log.truncate.${"before_remove" | "after_remove" | "before_cut" | "after_cut" | "before_sync" | "after_sync"}`
  | `log.restart.${"before_create" | "after_create"}`
  | `log.obsolete.${"before_remove" | "after_remove"}`
  | `log.recovery.${"before_truncate" | "after_truncate" | "before_remove" | "after_remove"}`
  | `topic.create.${"before_folders" | "after_folders" | "after_metadata"}`
  | `topic.grow.${"before_folders" | "after_folders" | "after_metadata"}`
  | `topic.alter.${"before_metadata" | "after_metadata"}`
  | `topic.delete.${"before_metadata" | "after_metadata" | "before_remove" | "after_remove"}`
  | "coordinator.load.before_read"
  | `coordinator.write.${"before_append" | "after_append"}`
  | `transaction.add_partition.${"before_write" | "after_write"}`
  | `transaction.prepare.${"before_write" | "after_write"}`
  | `transaction.marker.${"before_request" | "before_append" | "after_append"}`
  | `transaction.complete.${"before_write" | "after_write"}`
  | `${ReplacedFile}.${ReplacementStep}`
  | `disk.${DiskChange}.${"before" | "after"}`;
