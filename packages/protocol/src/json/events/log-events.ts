/** What happens to one replica's log and to its table of producers: kind, meaning, and the facts beside the replica's place. */
export const LOG_EVENTS = {
  appended: [
    "A batch was appended to a replica's log.",
    "base_offset next_offset bytes segment_base_offset position",
  ],
  fetched: ["Batches were read for a client.", "offset next_offset bytes high_watermark"],
  rolled: ["A new segment was begun.", "segment_base_offset sealed_base_offset sealed_bytes"],
  flushed: ["A log was made durable up to its end.", "log_end_offset bytes waiters"],
  sealed: [
    "A segment that is written no more counts in the manifest.",
    "segment_base_offset next_offset bytes",
  ],
  recovered: [
    "A log was opened; `cut_bytes` of a torn tail were cut off.",
    "log_end_offset recovery_point scanned_bytes cut_bytes problem:text?",
  ],
  truncated: ["A log's end was cut off.", "from_offset log_end_offset cut_bytes"],
  segment_deleted: [
    "Retention or deleted records took a segment.",
    "segment_base_offset next_offset bytes reason:text",
  ],
  log_start_moved: ["A log begins later than before.", "from to"],
  restarted: ["A log was emptied and begins anew.", "from_offset log_start_offset"],
  renewed: ["A segment's file was written anew.", "segment_base_offset bytes"],
  manifest_committed: [
    "A partition's manifest was replaced: what it says counts from now on.",
    "log_start_offset recovery_point sealed_segments obsolete_segments",
  ],
  compaction_started: [
    "A pass of compaction began.",
    "first_dirty_offset clean_end dirty_ratio segments bytes",
  ],
  compacted: [
    "A pass of compaction counts.",
    "first_dirty_offset segments_before segments_after bytes_before bytes_after records_kept records_dropped tombstones_dropped records_held keys",
  ],
  tombstones_held: [
    "Tombstones or markers whose time is over stay below `first_dirty_offset`, since only below `copied_end` every replica holds the log on its disk. Told once until others wait.",
    "first_dirty_offset copied_end",
  ],
  compaction_abandoned: ["A pass of compaction was given up; the log is as it was.", "reason:text"],
  obsolete_file_kept: ["A file that is not needed could not be removed yet.", "path:text problem:text"],
  append_undone: ["A write failed, and what it left was cut off.", "log_end_offset position problem:text"],
  seal_delayed: ["A full segment could not be sealed yet.", "segment_base_offset problem:text"],
  index_rebuilt: [
    "A missing or damaged index was made from its segment.",
    "segment_base_offset path:text entries time_entries problem:text",
  ],
  index_unwritten: [
    "An index could not be written; it will be made again.",
    "segment_base_offset problem:text",
  ],
  log_offline: ["A log is not served any more.", "problem:text"],
  producer_snapshot_written: ["A log's producers were written to a snapshot.", "offset producers"],
  producer_snapshot_unusable: ["A snapshot of producers was passed over.", "offset problem:text"],
  producers_restored: [
    "A log's producers are known again, from a snapshot and the batches behind it.",
    "snapshot_offset? end_offset batches producers",
  ],
  producer_forgotten: ["A log forgot a producer.", "producer_id last_seen_ms reason:text"],
  duplicate_answered: [
    "A batch that had come before was answered and not appended.",
    "producer_id producer_epoch base_sequence base_offset next_offset",
  ],
} as const satisfies { readonly [kind: string]: readonly [meaning: string, facts: string] };
