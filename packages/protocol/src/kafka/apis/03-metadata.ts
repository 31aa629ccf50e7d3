/**
 * Metadata: the brokers, and the topics asked for with their partitions, leaders and replicas.
 *
 * Which topics: in version 0 an empty list asks for all; from 1 on null asks for all, and an empty list for none. Version 1
 * brought racks, the controller and internal topics, 2 the cluster's id, 3 the throttle time, 4 the wish not to create topics,
 * 5 offline replicas (KIP-112), 7 leader epochs (KIP-320), 8 authorized operations (KIP-430), 10 topic ids (KIP-516), by
 * which 12 may ask as well. Version 11 no longer tells what the client may do with the cluster (KIP-700).
 */
import { boolean, int16, int32, string, uuid, ZERO_UUID } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";
import { OPERATIONS_NOT_ASKED } from "./authorized-operations.ts";

const partition = struct({
  errorCode: field(int16),
  partitionIndex: field(int32),
  /** -1: there is none. */
  leaderId: field(int32),
  leaderEpoch: field(int32, { versions: "7+", default: -1 }),
  replicaNodes: field(arrayOf(int32)),
  isrNodes: field(arrayOf(int32)),
  offlineReplicas: field(arrayOf(int32), { versions: "5+", default: [] }),
});

const topic = struct({
  errorCode: field(int16),
  /** Null: asked for by an id that no topic has. */
  name: field(string, { nullable: "12+" }),
  topicId: field(uuid, { versions: "10+", default: ZERO_UUID }),
  isInternal: field(boolean, { versions: "1+", default: false }),
  partitions: field(arrayOf(partition)),
  /** A bit for each operation, or {@link OPERATIONS_NOT_ASKED}. */
  topicAuthorizedOperations: field(int32, { versions: "8+", default: OPERATIONS_NOT_ASKED }),
});

export const metadata = api({
  key: 3,
  name: "Metadata",
  versions: [0, 12],
  flexibleFrom: 9,
  request: struct({
    topics: field(
      arrayOf(
        struct({
          topicId: field(uuid, { versions: "10+", default: ZERO_UUID }),
          /** Null: ask by `topicId`. */
          name: field(string, { nullable: "10+" }),
        }),
      ),
      { nullable: "1+" },
    ),
    /** Older versions create whatever the broker's settings allow. */
    allowAutoTopicCreation: field(boolean, { versions: "4+", default: true }),
    includeClusterAuthorizedOperations: field(boolean, { versions: "8-10", default: false }),
    includeTopicAuthorizedOperations: field(boolean, { versions: "8+", default: false }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "3+", default: 0 }),
    brokers: field(
      arrayOf(
        struct({
          nodeId: field(int32),
          host: field(string),
          port: field(int32),
          rack: field(string, { versions: "1+", nullable: "1+", default: null }),
        }),
      ),
    ),
    clusterId: field(string, { versions: "2+", nullable: "2+", default: null }),
    controllerId: field(int32, { versions: "1+", default: -1 }),
    topics: field(arrayOf(topic)),
    clusterAuthorizedOperations: field(int32, { versions: "8-10", default: OPERATIONS_NOT_ASKED }),
  }),
});
