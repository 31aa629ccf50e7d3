/**
 * Which handler serves which of Kafka's APIs: one line each, in the order of the keys. An API of the protocol's table that has none here
 * is a type error.
 */
import type { ApiName } from "@minikafka/protocol/kafka";
import type { KafkaHandler } from "./handler.ts";
import { produce } from "./handlers/00-produce.ts";
import { fetch } from "./handlers/01-fetch.ts";
import { listOffsets } from "./handlers/02-list-offsets.ts";
import { metadata } from "./handlers/03-metadata.ts";
import { offsetCommit } from "./handlers/08-offset-commit.ts";
import { offsetFetch } from "./handlers/09-offset-fetch.ts";
import { findCoordinator } from "./handlers/10-find-coordinator.ts";
import { joinGroup } from "./handlers/11-join-group.ts";
import { heartbeat } from "./handlers/12-heartbeat.ts";
import { leaveGroup } from "./handlers/13-leave-group.ts";
import { syncGroup } from "./handlers/14-sync-group.ts";
import { describeGroups } from "./handlers/15-describe-groups.ts";
import { listGroups } from "./handlers/16-list-groups.ts";
import { saslHandshake } from "./handlers/17-sasl-handshake.ts";
import { apiVersions } from "./handlers/18-api-versions.ts";
import { createTopics } from "./handlers/19-create-topics.ts";
import { deleteTopics } from "./handlers/20-delete-topics.ts";
import { deleteRecords } from "./handlers/21-delete-records.ts";
import { initProducerId } from "./handlers/22-init-producer-id.ts";
import { offsetForLeaderEpoch } from "./handlers/23-offset-for-leader-epoch.ts";
import { addPartitionsToTxn } from "./handlers/24-add-partitions-to-txn.ts";
import { addOffsetsToTxn } from "./handlers/25-add-offsets-to-txn.ts";
import { endTxn } from "./handlers/26-end-txn.ts";
import { txnOffsetCommit } from "./handlers/28-txn-offset-commit.ts";
import { describeConfigs } from "./handlers/32-describe-configs.ts";
import { alterConfigs } from "./handlers/33-alter-configs.ts";
import { describeLogDirs } from "./handlers/35-describe-log-dirs.ts";
import { saslAuthenticate } from "./handlers/36-sasl-authenticate.ts";
import { createPartitions } from "./handlers/37-create-partitions.ts";
import { deleteGroups } from "./handlers/42-delete-groups.ts";
import { incrementalAlterConfigs } from "./handlers/44-incremental-alter-configs.ts";
import { alterPartitionReassignments } from "./handlers/45-alter-partition-reassignments.ts";
import { listPartitionReassignments } from "./handlers/46-list-partition-reassignments.ts";
import { offsetDelete } from "./handlers/47-offset-delete.ts";
import { describeCluster } from "./handlers/60-describe-cluster.ts";
import { describeProducers } from "./handlers/61-describe-producers.ts";
import { describeTransactions } from "./handlers/65-describe-transactions.ts";
import { listTransactions } from "./handlers/66-list-transactions.ts";

type HandlerTable = { readonly [Name in ApiName]: KafkaHandler<Name> };

const HANDLERS: HandlerTable = {
  Produce: produce,
  Fetch: fetch,
  ListOffsets: listOffsets,
  Metadata: metadata,
  OffsetCommit: offsetCommit,
  OffsetFetch: offsetFetch,
  FindCoordinator: findCoordinator,
  JoinGroup: joinGroup,
  Heartbeat: heartbeat,
  LeaveGroup: leaveGroup,
  SyncGroup: syncGroup,
  DescribeGroups: describeGroups,
  ListGroups: listGroups,
  SaslHandshake: saslHandshake,
  ApiVersions: apiVersions,
  CreateTopics: createTopics,
  DeleteTopics: deleteTopics,
  DeleteRecords: deleteRecords,
  InitProducerId: initProducerId,
  OffsetForLeaderEpoch: offsetForLeaderEpoch,
  AddPartitionsToTxn: addPartitionsToTxn,
  AddOffsetsToTxn: addOffsetsToTxn,
  EndTxn: endTxn,
  TxnOffsetCommit: txnOffsetCommit,
  DescribeConfigs: describeConfigs,
  AlterConfigs: alterConfigs,
  DescribeLogDirs: describeLogDirs,
  SaslAuthenticate: saslAuthenticate,
  CreatePartitions: createPartitions,
  DeleteGroups: deleteGroups,
  IncrementalAlterConfigs: incrementalAlterConfigs,
  AlterPartitionReassignments: alterPartitionReassignments,
  ListPartitionReassignments: listPartitionReassignments,
  OffsetDelete: offsetDelete,
  DescribeCluster: describeCluster,
  DescribeProducers: describeProducers,
  DescribeTransactions: describeTransactions,
  ListTransactions: listTransactions,
};

export function handlerOf<Name extends ApiName>(name: Name): KafkaHandler<Name> {
  return (HANDLERS as { readonly [Each in Name]: KafkaHandler<Each> })[name];
}
