/** The kernel's door: a cluster, what it takes and shows, and the world that it is opened with. */
export { AssertionFailure } from "./assert.ts";
export { BrokerCluster } from "./cluster/cluster.ts";
export type {
  BrokerDescription,
  ClusterDescription,
  PartitionMetadata,
  TopicDescription,
  TopicMetadata,
} from "./cluster/cluster-view.ts";
export { type ClusterConfig, ORIGINAL_DIALS, type ResolvedConfig } from "./cluster/config.ts";
export {
  DataFolderRefused,
  type RefusalReason,
  refusalOf as dataFolderRefusalOf,
} from "./cluster/data-folder-refusal.ts";
export { OFFSETS_TOPIC, TRANSACTIONS_TOPIC } from "./cluster/internal-topics.ts";
export type { LifecycleState } from "./cluster/lifecycle.ts";
export type { Foretold, PendingStep, StepDeadline } from "./cluster/pending-step.ts";
export type { ProducerInit } from "./cluster/producer-ids.ts";
export type { RefreshedPartition, ReplicatedPartition, StepFilter } from "./cluster/replication-steps.ts";
export {
  type RawTopicConfig,
  TOPIC_CONFIG_KEYS,
  TOPIC_SETTINGS,
  type TopicConfig,
  topicSettingMeant,
} from "./cluster/topic-config.ts";
export type { ConfigChanges, ConfigEntry } from "./cluster/topic-config-change.ts";
export { topicNameProblem } from "./cluster/topic-name.ts";
export type { TopicRequest } from "./cluster/topic-request.ts";
export type { TendedTransactions } from "./cluster/transaction-operations.ts";
export { ArmedFault, type FaultChance, type FaultTimes } from "./env/armed-fault.ts";
export { type Clock, ManualClock } from "./env/clock.ts";
export { type Disk, DiskError, type FolderLock, type LockHolder } from "./env/disk.ts";
export type { Env } from "./env/env.ts";
export {
  CrashSignal,
  type FaultErrno,
  FaultError,
  type FaultOrder,
  type FaultSite,
} from "./env/fault-order.ts";
export {
  actionsAt,
  FAULT_POINT_MEANINGS,
  FAULT_POINTS,
  type FaultAction,
  type FaultPoint,
  isFaultPoint,
  waitsAt,
} from "./env/fault-point.ts";
export { FaultPoints, type FaultPointsOptions } from "./env/fault-points.ts";
export type { FaultRule } from "./env/fault-rule.ts";
export { ForwardingDisk } from "./env/forwarding-disk.ts";
export { MemoryDisk } from "./env/memory-disk.ts";
export { SystemClock } from "./env/node-clock.ts";
export { NodeDisk } from "./env/node-disk.ts";
export { SystemRandom } from "./env/node-random.ts";
export { PromptDisk } from "./env/prompt-disk.ts";
export { type Random, SeededRandom } from "./env/random.ts";
export { noTrace, type TraceEvent, type TraceKind, type Tracer } from "./env/trace.ts";
export { BrokerError, type ErrorDetails } from "./errors.ts";
export { ASSIGNORS, type AssignorName } from "./group/assignors/assignor.ts";
export type { LeftMember } from "./group/classic/classic-coordinator.ts";
export type { Joined, JoinedMember, Synced } from "./group/classic/classic-events.ts";
export type {
  ClassicHeartbeatRequest,
  ClassicJoinRequest,
  ClassicLeaveRequest,
  ClassicLeaver,
  ClassicSyncRequest,
} from "./group/classic/classic-requests.ts";
export type { ClassicState } from "./group/classic/classic-state.ts";
export type {
  ClassicMemberFacts,
  GroupDescription,
  GroupListing,
  GroupListings,
  GroupType,
  MemberDescription,
} from "./group/group-description.ts";
export type { ExpiredMember } from "./group/group-events.ts";
export type {
  HeartbeatRequest,
  JoinRequest,
  JoinView,
  MemberRequest,
  MemberView,
} from "./group/group-requests.ts";
export type { DeletedOffset, OffsetDeletion } from "./group/offset-deletion.ts";
export { REBALANCE_DIALS, type RebalanceDial } from "./group/rebalance.ts";
export { LIMITS } from "./limits.ts";
export type { CompactionRequest, CompactionResult } from "./log/compaction/compaction-request.ts";
export { IndexMemory } from "./log/context/index-memory.ts";
export { LOG_CONFIG_DEFAULTS, type LogConfig } from "./log/context/log-config.ts";
export { requireUnpacked } from "./log/frames/unpacked.ts";
export type { DumpedBatch, DumpedIndexes, DumpLimits, LogDump } from "./log/lookup/batch-dump.ts";
export { foundRecordFields, lookupStepFields } from "./log/lookup/find-fields.ts";
export type { FoundBatch, LogFind, SoughtPlace } from "./log/lookup/log-find.ts";
export { PartitionLog, type PartitionLogOptions } from "./log/partition-log.ts";
export type { LookupStep } from "./log/segment/lookup.ts";
export type { CommittedOffset } from "./offsets/committed-offsets.ts";
export { type Acks, FLUSH_POLICIES, type FlushPolicy } from "./replica/acknowledgement.ts";
export type { AppendOptions, AppendResult } from "./replica/append-options.ts";
export { describeProducers } from "./replica/partition-description.ts";
export { EARLIEST_TIMESTAMP, LATEST_TIMESTAMP } from "./replica/partition-reads.ts";
export type {
  FetchOptions,
  FetchResult,
  FoundOffset,
  Isolation,
  OffsetDescription,
  PartitionDescription,
  PartitionProducers,
  ReplicaDescription,
  SegmentDescription,
} from "./replica/partition-view.ts";
export type { ProducerIdentity } from "./replica/producer-identity.ts";
export { PartitionReplicaSet } from "./replica/replica-set.ts";
export {
  ACK_RULES,
  type AckRule,
  RECONCILIATIONS,
  type Reconciliation,
} from "./replica/replication-config.ts";
export { partitionName, type TopicPartition } from "./replica/topic-partition.ts";
export type { RepairedTransaction } from "./transaction/hanging-transactions.ts";
export type { ExpiredTransactions, FailedExpiry } from "./transaction/transaction-expiry.ts";
export type {
  EndRequest,
  InitRequest,
  SendOffsetsRequest,
  TransactionalAppendOptions,
  TransactionCaller,
} from "./transaction/transaction-requests.ts";
export { type EndCause, type LivingState, TRANSACTION_STATES } from "./transaction/transaction-state.ts";
export type {
  TransactionDescription,
  TransactionListing,
  TransactionListings,
} from "./transaction/transaction-views.ts";
