/**
 * Every metric: its type, its labels, what it says, and what Kafka calls the same. The names are those under which Kafka's own are found
 * where the JMX exporter's example for Kafka (kafka-2_0_0.yml) or kafka_exporter is used, so that what was made for these can be shown.
 */
export type MetricType = "counter" | "gauge" | "summary";

export interface Metric {
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly help: string;
}

const counter = <const Labels extends readonly string[]>(labels: Labels, help: string) =>
  ({ type: "counter", labels, help }) as const;
const gauge = <const Labels extends readonly string[]>(labels: Labels, help: string) =>
  ({ type: "gauge", labels, help }) as const;
const summary = <const Labels extends readonly string[]>(labels: Labels, help: string) =>
  ({ type: "summary", labels, help }) as const;

const PLACE = ["topic", "partition"] as const;
const REPLICA = ["topic", "partition", "broker_id"] as const;

export const METRICS = {
  kafka_server_brokertopicmetrics_messagesin_total: counter(
    ["broker_id", "topic"],
    "Records that a leader has appended, markers included; without topic all of them, deleted topics included.",
  ),
  kafka_server_brokertopicmetrics_bytesin_total: counter(
    ["broker_id", "topic"],
    "Bytes of the batches that a leader has appended, as they lie in the log.",
  ),
  kafka_server_brokertopicmetrics_bytesout_total: counter(
    ["broker_id", "topic"],
    "Bytes of the batches that were read for consumers, as they lie in the log.",
  ),
  kafka_server_brokertopicmetrics_replicationbytesin_total: counter(
    ["broker_id"],
    "Bytes of the batches that a follower has copied.",
  ),
  kafka_server_replicamanager_partitioncount: gauge(
    ["broker_id"],
    "Partitions of which the broker has a copy.",
  ),
  kafka_server_replicamanager_leadercount: gauge(
    ["broker_id"],
    "Partitions that the broker leads, off line or not.",
  ),
  kafka_server_replicamanager_underreplicatedpartitions: gauge(
    ["broker_id"],
    "Partitions led by the broker with fewer replicas in sync than there are.",
  ),
  kafka_server_replicamanager_underminisrpartitioncount: gauge(
    ["broker_id"],
    "Partitions led by the broker with fewer replicas in sync than min_insync_replicas.",
  ),
  kafka_server_replicamanager_offlinereplicacount: gauge(
    ["broker_id"],
    "Copies on the broker that cannot be read.",
  ),
  kafka_server_replicamanager_isrshrinks_total: counter([], "How often a replica left those in sync."),
  kafka_server_replicamanager_isrexpands_total: counter([], "How often a replica joined those in sync."),
  kafka_controller_kafkacontroller_activebrokercount: gauge([], "Brokers that run."),
  kafka_controller_kafkacontroller_globaltopiccount: gauge([], "Topics, internal ones included."),
  kafka_controller_kafkacontroller_globalpartitioncount: gauge([], "Partitions of all topics."),
  kafka_controller_kafkacontroller_offlinepartitionscount: gauge([], "Partitions that nobody leads."),
  kafka_cluster_partition_replicascount: gauge(PLACE, "Replicas of the partition."),
  kafka_cluster_partition_insyncreplicascount: gauge(PLACE, "Its replicas in sync."),
  kafka_cluster_partition_underreplicated: gauge(PLACE, "1 where fewer are in sync than there are, else 0."),
  kafka_cluster_partition_underminisr: gauge(
    PLACE,
    "1 where fewer are in sync than min_insync_replicas, else 0.",
  ),
  kafka_cluster_partition_laststableoffsetlag: gauge(PLACE, "High watermark less last stable offset."),
  kafka_log_log_size: gauge(REPLICA, "Bytes of the replica's segments."),
  kafka_log_log_numlogsegments: gauge(REPLICA, "Its segments."),
  kafka_log_log_logstartoffset: gauge(REPLICA, "Its log start offset."),
  kafka_log_log_logendoffset: gauge(REPLICA, "Its log end offset."),
  kafka_network_requestmetrics_requests_total: counter(
    ["request"],
    "Requests of Kafka's protocol that were taken.",
  ),
  kafka_network_requestmetrics_errors_total: counter(
    ["request", "error"],
    "Those that were answered with an error as a whole; what stands with single topics or partitions is not counted.",
  ),
  kafka_network_requestmetrics_totaltimems: summary(
    ["request"],
    "From when it was taken to its answer in ms, waits included; quantiles of the last 1024. Not with a manual clock, where it would be people's time.",
  ),
  kafka_coordinator_group_groupmetadatamanager_numgroups: gauge([], "Groups that are in memory."),
  kafka_brokers: gauge([], "Brokers of the cluster, stopped ones included."),
  kafka_topic_partitions: gauge(["topic"], "Partitions of the topic."),
  kafka_topic_partition_current_offset: gauge(PLACE, "The partition's high watermark."),
  kafka_topic_partition_oldest_offset: gauge(PLACE, "The partition's log start offset."),
  kafka_consumergroup_members: gauge(["consumergroup"], "Members of the group."),
  kafka_consumergroup_current_offset: gauge(
    ["consumergroup", ...PLACE],
    "The offset that the group has committed.",
  ),
  kafka_consumergroup_lag: gauge(
    ["consumergroup", ...PLACE],
    "High watermark less the committed offset; left out where nobody leads, and where the offset lies behind the end.",
  ),
  minikafka_build_info: gauge(["version"], "Always 1; which version runs."),
  minikafka_clock_manual: gauge([], "1 where only steps move the broker's clock, else 0."),
  minikafka_clock_seconds: gauge([], "What the broker's clock says, in seconds since 1970."),
  minikafka_connections: gauge([], "Clients that are connected, over whichever protocol but HTTP."),
  minikafka_event_streams: gauge([], "Open streams of GET /events."),
  minikafka_json_requests_total: counter(["operation"], "Requests as lines of JSON that were taken."),
  minikafka_json_request_errors_total: counter(["operation", "error"], "Those that were refused."),
  minikafka_json_request_time_ms: summary(
    ["operation"],
    "As kafka_network_requestmetrics_totaltimems, of requests as lines of JSON.",
  ),
  minikafka_requests_refused_total: counter(
    [],
    "Requests that could not be read, so that their connection was closed.",
  ),
  minikafka_events_total: counter(["kind"], "What happened, by kind of event."),
  minikafka_events_dropped_total: counter([], "Events that those who watch were too slow for."),
  minikafka_pending_steps: gauge(
    ["operation"],
    "Steps that would do something if they were taken now; only where stepping is allowed.",
  ),
  minikafka_armed_faults: gauge([], "Faults in the list, those that have acted included."),
  minikafka_faults_fired_total: counter(["point", "action"], "How often a fault acted."),
  minikafka_transactions: gauge(["state"], "Transactional ids that are in memory, by state."),
  minikafka_unloaded_coordinator_partitions: gauge(
    ["topic"],
    "Partitions of an internal topic that are not in memory, so that nothing is told of what they hold.",
  ),
  minikafka_metrics_left_out: gauge(
    ["of"],
    "How many topics, partitions and committed offsets are not told of, since there are too many.",
  ),
  process_cpu_seconds_total: counter([], "User and system CPU time of the process, in seconds."),
  process_resident_memory_bytes: gauge([], "Resident memory of the process."),
  process_open_fds: gauge([], "Open file descriptors; left out where the system does not tell."),
  process_start_time_seconds: gauge([], "When the process started, in seconds since 1970."),
} as const satisfies { readonly [name: string]: Metric };

export type MetricName = keyof typeof METRICS;
export type LabelOf<Name extends MetricName> = (typeof METRICS)[Name]["labels"][number];
export type SummaryName = {
  [Name in MetricName]: (typeof METRICS)[Name]["type"] extends "summary" ? Name : never;
}[MetricName];
