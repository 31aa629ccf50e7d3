/** Which handler serves which operation: one line each, and a missing line is a type error. */
import type { OperationName } from "@minikafka/protocol";
import type { Handler } from "./handler.ts";
import { abortTransaction } from "./handlers/abort-transaction.ts";
import { advanceClock } from "./handlers/advance-clock.ts";
import { alterConfig } from "./handlers/alter-config.ts";
import { applyRetention } from "./handlers/apply-retention.ts";
import { armFault } from "./handlers/arm-fault.ts";
import { beginTransaction } from "./handlers/begin-transaction.ts";
import { clock } from "./handlers/clock.ts";
import { commitOffsets } from "./handlers/commit-offsets.ts";
import { compact } from "./handlers/compact.ts";
import { crash } from "./handlers/crash.ts";
import { createPartitions } from "./handlers/create-partitions.ts";
import { createTopic } from "./handlers/create-topic.ts";
import { deleteGroup } from "./handlers/delete-group.ts";
import { deleteOffsets } from "./handlers/delete-offsets.ts";
import { deleteRecords } from "./handlers/delete-records.ts";
import { deleteSnapshot } from "./handlers/delete-snapshot.ts";
import { deleteTopic } from "./handlers/delete-topic.ts";
import { describeCluster } from "./handlers/describe-cluster.ts";
import { describeConfig } from "./handlers/describe-config.ts";
import { describeGroup } from "./handlers/describe-group.ts";
import { describePartition } from "./handlers/describe-partition.ts";
import { describeTransaction } from "./handlers/describe-transaction.ts";
import { diffSnapshots } from "./handlers/diff-snapshots.ts";
import { disarmFaults } from "./handlers/disarm-faults.ts";
import { dumpLog } from "./handlers/dump-log.ts";
import { endTransaction } from "./handlers/end-transaction.ts";
import { expireMembers } from "./handlers/expire-members.ts";
import { expireOffsets } from "./handlers/expire-offsets.ts";
import { expireProducers } from "./handlers/expire-producers.ts";
import { expireTransactions } from "./handlers/expire-transactions.ts";
import { fetch } from "./handlers/fetch.ts";
import { fetchMany } from "./handlers/fetch-many.ts";
import { fetchOffsets } from "./handlers/fetch-offsets.ts";
import { findInLog } from "./handlers/find-in-log.ts";
import { flushLogs } from "./handlers/flush-logs.ts";
import { groupAssignment } from "./handlers/group-assignment.ts";
import { heartbeat } from "./handlers/heartbeat.ts";
import { hello } from "./handlers/hello.ts";
import { initProducer } from "./handlers/init-producer.ts";
import { joinGroup } from "./handlers/join-group.ts";
import { leaveGroup } from "./handlers/leave-group.ts";
import { listFaults } from "./handlers/list-faults.ts";
import { listGroups } from "./handlers/list-groups.ts";
import { listOffsets } from "./handlers/list-offsets.ts";
import { listSnapshots } from "./handlers/list-snapshots.ts";
import { listTopics } from "./handlers/list-topics.ts";
import { listTransactions } from "./handlers/list-transactions.ts";
import { loadSnapshot } from "./handlers/load-snapshot.ts";
import { metadata } from "./handlers/metadata.ts";
import { pendingSteps } from "./handlers/pending-steps.ts";
import { ping } from "./handlers/ping.ts";
import { produce } from "./handlers/produce.ts";
import { promote } from "./handlers/promote.ts";
import { readHistory } from "./handlers/read-history.ts";
import { refreshIsr } from "./handlers/refresh-isr.ts";
import { rejoin } from "./handlers/rejoin.ts";
import { releaseFault } from "./handlers/release-fault.ts";
import { removeFromIsr } from "./handlers/remove-from-isr.ts";
import { replicateOnce } from "./handlers/replicate-once.ts";
import { rollSegment } from "./handlers/roll-segment.ts";
import { runUntilQuiet } from "./handlers/run-until-quiet.ts";
import { saveSnapshot } from "./handlers/save-snapshot.ts";
import { sendOffsets } from "./handlers/send-offsets.ts";
import { startBroker } from "./handlers/start-broker.ts";
import { stopBroker } from "./handlers/stop-broker.ts";
import { unwatch } from "./handlers/unwatch.ts";
import { watch } from "./handlers/watch.ts";

export const HANDLERS: { readonly [Name in OperationName]: Handler<Name> } = {
  hello,
  ping,
  create_topic: createTopic,
  create_partitions: createPartitions,
  delete_topic: deleteTopic,
  list_topics: listTopics,
  metadata,
  describe_config: describeConfig,
  alter_config: alterConfig,
  produce,
  init_producer: initProducer,
  fetch,
  fetch_many: fetchMany,
  list_offsets: listOffsets,
  delete_records: deleteRecords,
  describe_partition: describePartition,
  describe_cluster: describeCluster,
  dump_log: dumpLog,
  find_in_log: findInLog,
  watch,
  unwatch,
  promote,
  rejoin,
  remove_from_isr: removeFromIsr,
  stop_broker: stopBroker,
  start_broker: startBroker,
  clock,
  advance_clock: advanceClock,
  replicate_once: replicateOnce,
  refresh_isr: refreshIsr,
  roll_segment: rollSegment,
  apply_retention: applyRetention,
  compact,
  flush_logs: flushLogs,
  expire_producers: expireProducers,
  join_group: joinGroup,
  heartbeat,
  group_assignment: groupAssignment,
  leave_group: leaveGroup,
  commit_offsets: commitOffsets,
  fetch_offsets: fetchOffsets,
  list_groups: listGroups,
  describe_group: describeGroup,
  delete_group: deleteGroup,
  delete_offsets: deleteOffsets,
  expire_members: expireMembers,
  expire_offsets: expireOffsets,
  begin_transaction: beginTransaction,
  send_offsets: sendOffsets,
  end_transaction: endTransaction,
  abort_transaction: abortTransaction,
  describe_transaction: describeTransaction,
  list_transactions: listTransactions,
  expire_transactions: expireTransactions,
  pending_steps: pendingSteps,
  run_until_quiet: runUntilQuiet,
  list_faults: listFaults,
  arm_fault: armFault,
  disarm_faults: disarmFaults,
  release_fault: releaseFault,
  crash,
  read_history: readHistory,
  save_snapshot: saveSnapshot,
  load_snapshot: loadSnapshot,
  list_snapshots: listSnapshots,
  delete_snapshot: deleteSnapshot,
  diff_snapshots: diffSnapshots,
};
