/** What happens between replicas, to brokers and to the cluster: kind, meaning, and the facts beside the event's place. */
export const CLUSTER_EVENTS = {
  high_watermark_moved: [
    "More, or less, is visible at a replica.",
    "from to log_end_offset in_sync_replicas:ids",
  ],
  last_stable_offset_moved: [
    "More is decided in a partition that has transactions, so that more is visible to read_committed.",
    "from to high_watermark",
  ],
  marker_written: [
    "A transaction ended in a partition: its records there count, or never will.",
    "producer_id producer_epoch coordinator_epoch control:text first_offset offset",
  ],
  replicated: [
    "A follower copied from its leader, and heard of its high watermark.",
    "leader_id from_offset log_end_offset batches bytes high_watermark",
  ],
  reconciled: [
    "A follower's log agrees with its leader's again.",
    "leader_id leader_epoch from_offset log_end_offset reconciliation:text",
  ],
  replica_set_aside: ["A replica's files were moved away.", "path:text"],
  replication_failed: [
    "A follower could not copy, so often in a row; in auto mode it is tried again after a pause that doubles, up to a minute.",
    "leader_id failures problem:text",
  ],
  replication_resumed: ["A follower copies again that could not.", "leader_id failures"],
  leader_changed: [
    "A partition has another leader, or none, in a new epoch.",
    "from? leader_id? leader_epoch leader_epoch_start_offset high_watermark",
  ],
  isr_changed: [
    "Replicas joined or left those in sync; `moves` has the numbers that made it so.",
    "from:ids to:ids leader_epoch high_watermark log_end_offset? moves:moves",
  ],
  coordinator_loaded: [
    "A coordinator read its partition from the first record to the last.",
    "leader_epoch start_offset end_offset records",
  ],
  metadata_outdated: [
    "A log has a later leader epoch than the metadata, which was restored from an older copy; unless there is but one replica, nobody leads until one is promoted.",
    "leader_epoch log_epoch",
  ],
  foreign_file_ignored: ["A file that is none of ours was left alone.", "path:text"],
  stray_file_removed: ["A file of something that never counted was removed.", "path:text"],
  obsolete_file_removed: ["A file that counted no more was removed.", "path:text"],
  checkpoint_ignored: ["A checkpoint could not be used.", "path:text problem:text"],
  broker_failed: ["A broker writes no more until it is started again.", "problem:text"],
  broker_stopped: ["A broker of the process was stopped.", "clean:flag"],
  broker_started: ["A broker of the process was started.", "clean:flag"],
  topic_created: ["There is a new topic.", "topic:text partitions replication_factor"],
  topic_deleted: ["A topic is gone.", "topic:text partitions"],
  topic_grown: ["A topic has gained partitions, from one number to another.", "topic:text from partitions"],
  config_altered: ["A topic's settings were changed.", "topic:text changes:settings"],
  cluster_opened: ["The cluster was opened.", "cluster_id:text brokers topics partitions clean:flag"],
  cluster_closed: ["The cluster was closed.", "cluster_id:text clean:flag"],
  producer_ids_raised: [
    "The logs hold ids of producers that the file does not know: the next id to give was raised.",
    "path:text from to",
  ],
  producer_initialized: ["A producer got its id and epoch.", "producer_id producer_epoch name:text?"],
  clock_advanced: ["A manual clock was moved, from one time to another.", "from_ms to_ms"],
  fault_fired: [
    "An armed fault fired; `rule_id` is its number in `list_faults`.",
    "point:text action:text hit rule_id?",
  ],
} as const satisfies { readonly [kind: string]: readonly [meaning: string, facts: string] };
