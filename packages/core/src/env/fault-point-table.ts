/**
 * Every place where the kernel can be told to fail, with what is the case there. The page docs/reference/faults.md is printed
 * from it.
 *
 * `before_x`: x has not happened. `after_x`: x has happened, and what comes next has not.
 */

/** The files that are replaced atomically (log/files/checkpoint-file.ts), each with the same steps. */
export const CHECKPOINTS = {
  manifest: "a partition's manifest: which segments count, up to where everything is durable",
  producer_snapshot: "what a partition knew of its producers",
  metadata: "which topics there are, who leads, who is in sync",
  identity: "the data folder's identity",
  producer_ids: "which producer ids were given",
  clean_shutdown: "the mark of a broker that was closed cleanly",
  high_watermarks: "a broker's high watermarks",
  broker_epoch: "how often a broker was started",
} as const;

/** `before_folder_sync` would be the same instant as `after_rename`. */
export const CHECKPOINT_STEP_MEANINGS = {
  before_write: "its next value is about to be written aside",
  before_sync: "the next value is written aside, and not synced",
  before_rename: "the next value is durable aside, and about to take the file's name",
  after_rename: "the next value has the file's name, which is not durable yet",
  after_folder_sync: "the next value stands, durably",
} as const;

/** What changes a disk, as env/fault-disk.ts passes it, whatever it is for. */
export const DISK_OPERATIONS = {
  write: "bytes of a file are written",
  truncate: "a file is cut, or extended",
  sync: "a file is made durable",
  create: "a file is made",
  rename: "a file gets another name",
  remove: "a file is removed",
  make_folder: "a folder is made, with the parents that it lacks",
  remove_folder: "a folder is removed",
  sync_folder: "the names in a folder are made durable",
} as const;

export const KERNEL_POINTS = {
  "log.append.before_write": "batches are about to be written to the active segment",
  "log.append.after_write": "they are written, and do not count yet",
  "log.append.before_undo": "a write of batches has failed, and what it left is about to be cut off",
  "log.flush.before_sync": "a segment is about to be synced",
  "log.flush.after_sync": "it is synced, and nobody has been told",
  "log.flush.before_folder_sync": "the names of new segments are about to be made durable",
  "log.flush.after_folder_sync": "they are durable, and nobody has been told",
  "log.roll.before_create": "the file of a new segment is about to be made",
  "log.roll.after_create": "it is made, and empty; the segment before is still the active one",
  "log.index.before_write": "a segment's index of offsets is about to be written",
  "log.index.after_write": "it is written, its index of times not yet",
  "log.time_index.after_write": "its index of times is written as well",
  "log.txn_index.before_write": "a segment's index of aborted transactions is about to be written",
  "log.txn_index.after_write": "it is written",
  "log.compact.before_create": "compaction is about to make a file for what stays of some segments",
  "log.compact.before_write": "a part of what stays is about to be written to it",
  "log.compact.after_write": "the part is written",
  "log.compact.before_sync": "the whole file is written, and about to be synced",
  "log.compact.after_sync": "it is synced",
  "log.compact.before_folder_sync": "the names of the new files are about to be made durable",
  "log.compact.after_folder_sync": "they are durable; the manifest still names the old ones",
  "log.truncate.before_remove": "truncation is about to remove a segment, the last that is left",
  "log.truncate.after_remove": "it is removed",
  "log.truncate.before_cut": "the segment in which the log is to end is about to be cut",
  "log.truncate.after_cut": "it is cut, and a power cut could bring back what was cut off",
  "log.truncate.before_sync": "what a truncation or a new beginning did is about to be made durable",
  "log.truncate.after_sync": "it is durable",
  "log.restart.before_create": "a log that begins anew elsewhere is about to make its first segment",
  "log.restart.after_create": "it is made; the manifest still names the old ones",
  "log.obsolete.before_remove": "a file that the manifest no longer needs is about to be removed",
  "log.obsolete.after_remove": "it is removed",
  "log.recovery.before_truncate": "opening a log has found a torn tail, and is about to cut it off",
  "log.recovery.after_truncate": "it is cut off",
  "log.recovery.before_remove": "a segment behind the torn one is about to be removed",
  "log.recovery.after_remove": "it is removed",
  "topic.create.before_folders": "a topic's folders are about to be made",
  "topic.create.after_folders": "they are made, durably; the topic does not exist yet",
  "topic.create.after_metadata": "the topic exists, and nobody has been told",
  "topic.grow.before_folders": "the folders of new partitions are about to be made",
  "topic.grow.after_folders": "they are made, durably; the partitions do not exist yet",
  "topic.grow.after_metadata": "the partitions exist, and nobody has been told",
  "topic.alter.before_metadata": "a topic's settings are about to change",
  "topic.alter.after_metadata": "they have changed, and nobody has been told",
  "topic.delete.before_metadata": "a topic is about to be deleted",
  "topic.delete.after_metadata": "it does not exist any more; its folders do",
  "topic.delete.before_remove": "the folder of one of its replicas is about to be removed",
  "topic.delete.after_remove": "it is removed",
  "coordinator.load.before_read": "a coordinator is about to read the next part of its partition into memory",
  "coordinator.write.before_append": "a coordinator has decided, and is about to write it",
  "coordinator.write.after_append": "it is written, and not acknowledged by the replicas in sync",
  "transaction.add_partition.before_write": "a partition is about to become part of a transaction",
  "transaction.add_partition.after_write":
    "it is part of it, durably; nothing was written to it in the transaction",
  "transaction.prepare.before_write": "the end of a transaction is about to be decided",
  "transaction.prepare.after_write": "it is decided, durably; no partition has its marker",
  "transaction.marker.before_request":
    "a partition's leader is about to be asked for the marker; others may have theirs",
  "transaction.marker.before_append": "the leader is about to write it",
  "transaction.marker.after_append": "it is written, and not acknowledged by the replicas in sync",
  "transaction.complete.before_write":
    "every partition has its marker, and the transaction is about to be complete",
  "transaction.complete.after_write": "it is complete, durably, and its producer has not been told",
} as const;
