/** The one table of operations. Dispatch, the SDK's calls, the CLI's raw mode and the printed reference all read it. */
import type { z } from "zod";
import { abortTransaction } from "./operations/abort-transaction.ts";
import { advanceClock } from "./operations/advance-clock.ts";
import { alterConfig } from "./operations/alter-config.ts";
import { applyRetention } from "./operations/apply-retention.ts";
import { armFault } from "./operations/arm-fault.ts";
import { beginTransaction } from "./operations/begin-transaction.ts";
import { clock } from "./operations/clock.ts";
import { commitOffsets } from "./operations/commit-offsets.ts";
import { compact } from "./operations/compact.ts";
import { crash } from "./operations/crash.ts";
import { createPartitions } from "./operations/create-partitions.ts";
import { createTopic } from "./operations/create-topic.ts";
import { deleteGroup } from "./operations/delete-group.ts";
import { deleteOffsets } from "./operations/delete-offsets.ts";
import { deleteRecords } from "./operations/delete-records.ts";
import { deleteSnapshot } from "./operations/delete-snapshot.ts";
import { deleteTopic } from "./operations/delete-topic.ts";
import { describeCluster } from "./operations/describe-cluster.ts";
import { describeConfig } from "./operations/describe-config.ts";
import { describeGroup } from "./operations/describe-group.ts";
import { describePartition } from "./operations/describe-partition.ts";
import { describeTransaction } from "./operations/describe-transaction.ts";
import { diffSnapshots } from "./operations/diff-snapshots.ts";
import { disarmFaults } from "./operations/disarm-faults.ts";
import { dumpLog } from "./operations/dump-log.ts";
import { endTransaction } from "./operations/end-transaction.ts";
import { expireMembers } from "./operations/expire-members.ts";
import { expireOffsets } from "./operations/expire-offsets.ts";
import { expireProducers } from "./operations/expire-producers.ts";
import { expireTransactions } from "./operations/expire-transactions.ts";
import { fetch } from "./operations/fetch.ts";
import { fetchMany } from "./operations/fetch-many.ts";
import { fetchOffsets } from "./operations/fetch-offsets.ts";
import { findInLog } from "./operations/find-in-log.ts";
import { flushLogs } from "./operations/flush-logs.ts";
import { groupAssignment } from "./operations/group-assignment.ts";
import { heartbeat } from "./operations/heartbeat.ts";
import { hello } from "./operations/hello.ts";
import { initProducer } from "./operations/init-producer.ts";
import { joinGroup } from "./operations/join-group.ts";
import { leaveGroup } from "./operations/leave-group.ts";
import { listFaults } from "./operations/list-faults.ts";
import { listGroups } from "./operations/list-groups.ts";
import { listOffsets } from "./operations/list-offsets.ts";
import { listSnapshots } from "./operations/list-snapshots.ts";
import { listTopics } from "./operations/list-topics.ts";
import { listTransactions } from "./operations/list-transactions.ts";
import { loadSnapshot } from "./operations/load-snapshot.ts";
import { metadata } from "./operations/metadata.ts";
import { pendingSteps } from "./operations/pending-steps.ts";
import { ping } from "./operations/ping.ts";
import { produce } from "./operations/produce.ts";
import { promote } from "./operations/promote.ts";
import { readHistory } from "./operations/read-history.ts";
import { refreshIsr } from "./operations/refresh-isr.ts";
import { rejoin } from "./operations/rejoin.ts";
import { releaseFault } from "./operations/release-fault.ts";
import { removeFromIsr } from "./operations/remove-from-isr.ts";
import { replicateOnce } from "./operations/replicate-once.ts";
import { rollSegment } from "./operations/roll-segment.ts";
import { runUntilQuiet } from "./operations/run-until-quiet.ts";
import { saveSnapshot } from "./operations/save-snapshot.ts";
import { sendOffsets } from "./operations/send-offsets.ts";
import { startBroker } from "./operations/start-broker.ts";
import { stopBroker } from "./operations/stop-broker.ts";
import { unwatch } from "./operations/unwatch.ts";
import { watch } from "./operations/watch.ts";

export const OPERATIONS = {
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
  begin_transaction: beginTransaction,
  send_offsets: sendOffsets,
  end_transaction: endTransaction,
  abort_transaction: abortTransaction,
  describe_transaction: describeTransaction,
  list_transactions: listTransactions,
  delete_records: deleteRecords,
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
  expire_members: expireMembers,
  expire_offsets: expireOffsets,
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
} as const;

export type OperationName = keyof typeof OPERATIONS;

/** A request's fields as a client writes them: Base64 as text, defaults left out. Without the envelope. */
export type RequestFields<Name extends OperationName> = Omit<
  z.input<(typeof OPERATIONS)[Name]["request"]>,
  "operation" | "id"
>;

/** A request as a handler gets it: bytes decoded, defaults filled in. */
export type ParsedRequest<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]["request"]>;

/** An answer's fields as a handler writes them. */
export type ResponseFields<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]["response"]>;

/** An answer as a client gets it. */
export type ParsedResponse<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]["response"]>;

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}
