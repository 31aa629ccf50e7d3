/**
 * The one table of Kafka's APIs that are spoken here. ApiVersions is printed from it, the listener dispatches by it, and its
 * handlers are typed by it.
 */
import { produce } from "./apis/00-produce.ts";
import { fetch } from "./apis/01-fetch.ts";
import { listOffsets } from "./apis/02-list-offsets.ts";
import { metadata } from "./apis/03-metadata.ts";
import { offsetCommit } from "./apis/08-offset-commit.ts";
import { offsetFetch } from "./apis/09-offset-fetch.ts";
import { findCoordinator } from "./apis/10-find-coordinator.ts";
import { joinGroup } from "./apis/11-join-group.ts";
import { heartbeat } from "./apis/12-heartbeat.ts";
import { leaveGroup } from "./apis/13-leave-group.ts";
import { syncGroup } from "./apis/14-sync-group.ts";
import { describeGroups } from "./apis/15-describe-groups.ts";
import { listGroups } from "./apis/16-list-groups.ts";
import { saslHandshake } from "./apis/17-sasl-handshake.ts";
import { apiVersions } from "./apis/18-api-versions.ts";
import { createTopics } from "./apis/19-create-topics.ts";
import { deleteTopics } from "./apis/20-delete-topics.ts";
import { deleteRecords } from "./apis/21-delete-records.ts";
import { initProducerId } from "./apis/22-init-producer-id.ts";
import { offsetForLeaderEpoch } from "./apis/23-offset-for-leader-epoch.ts";
import { addPartitionsToTxn } from "./apis/24-add-partitions-to-txn.ts";
import { addOffsetsToTxn } from "./apis/25-add-offsets-to-txn.ts";
import { endTxn } from "./apis/26-end-txn.ts";
import { txnOffsetCommit } from "./apis/28-txn-offset-commit.ts";
import { describeConfigs } from "./apis/32-describe-configs.ts";
import { alterConfigs } from "./apis/33-alter-configs.ts";
import { describeLogDirs } from "./apis/35-describe-log-dirs.ts";
import { saslAuthenticate } from "./apis/36-sasl-authenticate.ts";
import { createPartitions } from "./apis/37-create-partitions.ts";
import { deleteGroups } from "./apis/42-delete-groups.ts";
import { incrementalAlterConfigs } from "./apis/44-incremental-alter-configs.ts";
import { alterPartitionReassignments } from "./apis/45-alter-partition-reassignments.ts";
import { listPartitionReassignments } from "./apis/46-list-partition-reassignments.ts";
import { offsetDelete } from "./apis/47-offset-delete.ts";
import { describeCluster } from "./apis/60-describe-cluster.ts";
import { describeProducers } from "./apis/61-describe-producers.ts";
import { describeTransactions } from "./apis/65-describe-transactions.ts";
import { listTransactions } from "./apis/66-list-transactions.ts";
import type { InputOf, ValueOf } from "./schema.ts";

/** By key, in order. */
export const API_TABLE = {
  0: produce,
  1: fetch,
  2: listOffsets,
  3: metadata,
  8: offsetCommit,
  9: offsetFetch,
  10: findCoordinator,
  11: joinGroup,
  12: heartbeat,
  13: leaveGroup,
  14: syncGroup,
  15: describeGroups,
  16: listGroups,
  17: saslHandshake,
  18: apiVersions,
  19: createTopics,
  20: deleteTopics,
  21: deleteRecords,
  22: initProducerId,
  23: offsetForLeaderEpoch,
  24: addPartitionsToTxn,
  25: addOffsetsToTxn,
  26: endTxn,
  28: txnOffsetCommit,
  32: describeConfigs,
  33: alterConfigs,
  35: describeLogDirs,
  36: saslAuthenticate,
  37: createPartitions,
  42: deleteGroups,
  44: incrementalAlterConfigs,
  45: alterPartitionReassignments,
  46: listPartitionReassignments,
  47: offsetDelete,
  60: describeCluster,
  61: describeProducers,
  65: describeTransactions,
  66: listTransactions,
} as const;

export type AnyApi = (typeof API_TABLE)[keyof typeof API_TABLE];
export type ApiName = AnyApi["name"];
export type ApiNamed<Name extends ApiName> = Extract<AnyApi, { readonly name: Name }>;

/** A request as a handler gets it: every field is there, whatever the version. */
export type RequestOf<Name extends ApiName> = ValueOf<ApiNamed<Name>["request"]>;
/** A response as a handler gives it: a field with a default may be left out. */
export type ResponseOf<Name extends ApiName> = InputOf<ApiNamed<Name>["response"]>;
/** A request as a client gives it. */
export type RequestInputOf<Name extends ApiName> = InputOf<ApiNamed<Name>["request"]>;
/** A response as a client gets it. */
export type ResponseValueOf<Name extends ApiName> = ValueOf<ApiNamed<Name>["response"]>;

const byKey: ReadonlyMap<number, AnyApi> = new Map(Object.values(API_TABLE).map((api) => [api.key, api]));

/** The API of a key, or `undefined` for one that is not spoken. */
export function apiOf(key: number): AnyApi | undefined {
  return byKey.get(key);
}
