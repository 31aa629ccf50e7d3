/** The SDK: producers, consumers, administration and stepping, over the wire protocol alone. */
export {
  Admin,
  type ClusterDescription,
  type ConfigChanges,
  type ConfigEntry,
  type DescribedPartition,
  type DumpedBatch,
  type FoundOffset,
  type ListedTopic,
  type LogDump,
  type LogDumpQuery,
  type LogFind,
  type LogFindQuery,
  type NewTopic,
  type OffsetQuery,
  type PartitionDescription,
  type PartitionMetadataView,
  type Promotion,
  type RecordDeletion,
  type Rejoining,
  type TopicDescription,
  type TopicMetadataView,
} from "./admin.ts";
export { Client, connect } from "./client.ts";
export type { ClientOptions, ConnectOptions } from "./client-options.ts";
export { type Cancel, type ClientClock, ManualClock, systemClock } from "./clock.ts";
export type { ClusterEvent, EventKind, EventOf, EventQuery, EventsDropped } from "./cluster-event.ts";
export type { ConnectTarget } from "./connect-target.ts";
export { type AssignedPartition, Consumer } from "./consumer/consumer.ts";
export type {
  AutoOffsetReset,
  BatchIterationOptions,
  ConsumerCloseOptions,
  ConsumerOptions,
  IterationOptions,
  PollOptions,
} from "./consumer/consumer-options.ts";
export type { ConsumerHeader, ConsumerRecord } from "./consumer/consumer-record.ts";
export type { ConsumerBatch } from "./consumer/cursor-ring.ts";
export { RecordDeserializationError } from "./consumer/deserialized-record.ts";
export type { Assignor, Rebalance, RebalanceListener } from "./consumer/group/group-options.ts";
export type { CommittedOffset, OffsetToCommit } from "./consumer/group/offset-commits.ts";
export type { OffsetSpec } from "./consumer/partition-cursor.ts";
export type { PartitionLag } from "./consumer/positions.ts";
export type { ReadyOptions } from "./consumer/readiness.ts";
export type {
  CommitDiagnostics,
  ConnectDiagnostics,
  Diagnostics,
  FetchDiagnostics,
  ProduceDiagnostics,
  RebalanceDiagnostics,
  RequestDiagnostics,
  TransactionDiagnostics,
} from "./diagnostics.ts";
export {
  CLIENT_ERRORS,
  type ClientErrorCode,
  hasCode,
  isFateUnknown,
  isRetriable,
  MiniKafkaError,
  type MiniKafkaErrorCode,
  type MiniKafkaErrorDetails,
  type TransactionEffect,
} from "./errors.ts";
export { EventStream } from "./event-stream.ts";
export type {
  FaultAction,
  FaultOrder,
  FaultPointName,
  FaultTimes,
  RequestFaultPoint,
} from "./fault-order.ts";
export { type FaultCounts, FaultRule } from "./fault-rule.ts";
export { type FaultListing, Faults, type ListedFault } from "./faults.ts";
export type {
  DeletedOffset,
  FetchOffsetsOptions,
  GroupDescription,
  GroupMember,
  GroupPartitionLag,
  ListedGroup,
} from "./group-admin.ts";
export type { LinkFactory } from "./link/link-factory.ts";
export type { CompressionType } from "./producer/batch-packing.ts";
export type { RecordMetadata } from "./producer/delivery.ts";
export { murmur2, toPositive } from "./producer/murmur2.ts";
export type { KeyHash, Partitioner } from "./producer/partitioner.ts";
export type { Payload, ProducedHeader, ProducedRecord } from "./producer/produced-record.ts";
export { Producer } from "./producer/producer.ts";
export type { ProducerOptions } from "./producer/producer-options.ts";
export type { WritableOptions, WritableRecord } from "./producer/record-sink.ts";
export type { GroupOffsets, OffsetSource } from "./producer/transaction/offset-source.ts";
export type { Transaction, TransactionStage } from "./producer/transaction/transaction.ts";
export { jsonDeserializer, jsonSerializer } from "./serdes/json-serde.ts";
export {
  bytesDeserializer,
  bytesSerializer,
  doubleDeserializer,
  doubleSerializer,
  integerDeserializer,
  integerSerializer,
  longDeserializer,
  longSerializer,
  stringDeserializer,
  stringSerializer,
} from "./serdes/ready-serdes.ts";
export type {
  DeserializationPlace,
  Deserializer,
  Deserializers,
  SerializationPlace,
  Serializer,
  Serializers,
} from "./serdes/serde.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./serdes/standard-schema.ts";
export type { BatchCallOptions, CallOptions, Closable, CloseOptions, Session } from "./session.ts";
export {
  type DiffOptions,
  type HistoryOptions,
  type HistoryPage,
  type ListedSnapshot,
  type LoadedSnapshot,
  type LoadOptions,
  type SaveOptions,
  type Snapshot,
  Snapshots,
  type StateDifference,
} from "./snapshots.ts";
export {
  type CompactedLog,
  type Compaction,
  type Deadline,
  type DeletedSegment,
  type ExpiredMember,
  type ExpiredMembers,
  type ExpiredOffsets,
  type ExpiredTransactions,
  type Flush,
  type FollowerScope,
  type ForgottenOffset,
  type ForgottenProducers,
  type PartitionScope,
  type Pending,
  type PendingStep,
  type QuietRun,
  type RefreshedPartition,
  type ReplicatedPartition,
  type ReplicationRound,
  type Retention,
  type RolledSegment,
  Stepper,
  type StepScope,
  type StepTaken,
} from "./stepper.ts";
export type { TopicPartition } from "./topic-partition.ts";
export type {
  AbortTransactionOptions,
  ListedTransaction,
  ListTransactionsOptions,
  TransactionDescription,
  TransactionIdentity,
  TransactionState,
} from "./transaction-admin.ts";
export type { WaitOptions } from "./wait-options.ts";
