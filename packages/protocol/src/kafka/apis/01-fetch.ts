/**
 * Fetch: batches from given offsets on, of many partitions; waits until there is enough, or long enough.
 *
 * Version 4 is the first with batches of format 2, isolation and aborted transactions (KIP-98). Version 5 brought the log's
 * start (KIP-107), 7 sessions, which name only what changed (KIP-227), 9 the leader epoch that the client knows (KIP-320),
 * 10 zstd (KIP-110), 11 racks and the replica to prefer (KIP-392), 12 the epoch of the last fetched record and where logs
 * part (KIP-595), 13 topic ids instead of names (KIP-516), 15 the replica's state as a tag (KIP-903), 16 where leaders are
 * reached (KIP-951), 17 the follower's directory (KIP-853).
 */
import { int8, int16, int32, int64, records, string, uuid, ZERO_UUID } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";
import { currentLeader, nodeEndpoint } from "./leader-fields.ts";

/** A name up to version 12, an id from 13 on. */
const topicFields = {
  topic: field(string, { versions: "0-12", default: "" }),
  topicId: field(uuid, { versions: "13+", default: ZERO_UUID }),
};

const requestPartition = struct({
  partition: field(int32),
  /** -1: not checked. */
  currentLeaderEpoch: field(int32, { versions: "9+", default: -1 }),
  fetchOffset: field(int64),
  /** Of the last record that was fetched; -1: not told. */
  lastFetchedEpoch: field(int32, { versions: "12+", default: -1 }),
  /** A follower's; -1 from a consumer. */
  logStartOffset: field(int64, { versions: "5+", default: -1 }),
  /** The first batch is given whole, however long it is (KIP-74). */
  partitionMaxBytes: field(int32),
  replicaDirectoryId: field(uuid, { versions: "17+", tag: 0, default: ZERO_UUID }),
});

const responsePartition = struct({
  partitionIndex: field(int32),
  errorCode: field(int16),
  /** -1 with an error. */
  highWatermark: field(int64),
  lastStableOffset: field(int64, { default: -1 }),
  logStartOffset: field(int64, { versions: "5+", default: -1 }),
  /** Where the fetcher's log parts from the leader's. */
  divergingEpoch: field(
    struct({
      epoch: field(int32, { default: -1 }),
      endOffset: field(int64, { default: -1 }),
    }),
    { versions: "12+", tag: 0 },
  ),
  currentLeader: field(currentLeader, { versions: "12+", tag: 1 }),
  /** Of KRaft's own log; never told here. */
  snapshotId: field(
    struct({
      endOffset: field(int64, { default: -1 }),
      epoch: field(int32, { default: -1 }),
    }),
    { versions: "12+", tag: 2 },
  ),
  /** Those with records in what is given; null where nobody asked for committed records only. */
  abortedTransactions: field(
    arrayOf(
      struct({
        producerId: field(int64),
        firstOffset: field(int64),
      }),
    ),
    { nullable: "4+", default: null },
  ),
  /** -1: go on with the leader. */
  preferredReadReplica: field(int32, { versions: "11+", default: -1 }),
  records: field(records, { nullable: "0+" }),
});

export const fetch = api({
  key: 1,
  name: "Fetch",
  versions: [4, 17],
  flexibleFrom: 12,
  request: struct({
    clusterId: field(string, { versions: "12+", nullable: "12+", tag: 0, default: null }),
    /** -1: a consumer. From version 15 on in `replicaState`. */
    replicaId: field(int32, { versions: "0-14", default: -1 }),
    replicaState: field(
      struct({
        replicaId: field(int32, { default: -1 }),
        replicaEpoch: field(int64, { default: -1 }),
      }),
      { versions: "15+", tag: 1 },
    ),
    maxWaitMs: field(int32),
    minBytes: field(int32),
    maxBytes: field(int32, { default: 0x7fff_ffff }),
    /** 0: every record; 1: below the last stable offset only. */
    isolationLevel: field(int8, { default: 0 }),
    /** 0: no session. */
    sessionId: field(int32, { versions: "7+", default: 0 }),
    /** -1: no session; 0: begin one. */
    sessionEpoch: field(int32, { versions: "7+", default: -1 }),
    topics: field(
      arrayOf(
        struct({
          ...topicFields,
          partitions: field(arrayOf(requestPartition)),
        }),
      ),
    ),
    /** What a session no longer holds. */
    forgottenTopicsData: field(
      arrayOf(
        struct({
          ...topicFields,
          partitions: field(arrayOf(int32)),
        }),
      ),
      { versions: "7+", default: [] },
    ),
    rackId: field(string, { versions: "11+", default: "" }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    errorCode: field(int16, { versions: "7+", default: 0 }),
    /** 0: no session. */
    sessionId: field(int32, { versions: "7+", default: 0 }),
    responses: field(
      arrayOf(
        struct({
          ...topicFields,
          partitions: field(arrayOf(responsePartition)),
        }),
      ),
    ),
    nodeEndpoints: field(arrayOf(nodeEndpoint), { versions: "16+", tag: 0, default: [] }),
  }),
});
