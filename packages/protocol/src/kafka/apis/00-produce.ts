/**
 * Produce: batches to be appended, a batch for each partition.
 *
 * Version 3 is the first with batches of format 2 and transactions (KIP-98). Versions 0-2 are named in ApiVersions all the
 * same, because librdkafka before 2.11 looks for them before it compresses (KAFKA-18659), and they are refused. Version 4
 * brought KAFKA_STORAGE_ERROR (KIP-112), 5 the log's start, 7 zstd (KIP-110), 8 which record was at fault (KIP-467), 10
 * the leader to turn to (KIP-951), 11 TRANSACTION_ABORTABLE (KIP-890). With acks 0 nothing is answered at all.
 */
import { int16, int32, int64, records, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";
import { currentLeader, nodeEndpoint } from "./leader-fields.ts";

const partitionResponse = struct({
  index: field(int32),
  errorCode: field(int16),
  /** Of the first record; -1 with an error. */
  baseOffset: field(int64),
  /** -1 unless the topic's timestamps are those of the append. */
  logAppendTimeMs: field(int64, { default: -1 }),
  logStartOffset: field(int64, { versions: "5+", default: -1 }),
  recordErrors: field(
    arrayOf(
      struct({
        /** The record's place in its batch. */
        batchIndex: field(int32),
        batchIndexErrorMessage: field(string, { nullable: "8+", default: null }),
      }),
    ),
    { versions: "8+", default: [] },
  ),
  errorMessage: field(string, { versions: "8+", nullable: "8+", default: null }),
  currentLeader: field(currentLeader, { versions: "10+", tag: 0 }),
});

export const produce = api({
  key: 0,
  name: "Produce",
  versions: [0, 11],
  servedFrom: 3,
  flexibleFrom: 9,
  request: struct({
    /** Null: no transaction. */
    transactionalId: field(string, { nullable: "3+", default: null }),
    /** 0: no answer; 1: the leader has it; -1: all in-sync replicas have it. */
    acks: field(int16),
    timeoutMs: field(int32),
    topicData: field(
      arrayOf(
        struct({
          name: field(string),
          partitionData: field(
            arrayOf(
              struct({
                index: field(int32),
                records: field(records, { nullable: "0+" }),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
  response: struct({
    responses: field(
      arrayOf(
        struct({
          name: field(string),
          partitionResponses: field(arrayOf(partitionResponse)),
        }),
      ),
    ),
    throttleTimeMs: field(int32, { default: 0 }),
    nodeEndpoints: field(arrayOf(nodeEndpoint), { versions: "10+", tag: 0, default: [] }),
  }),
});
