/**
 * ListOffsets: the offset that belongs to a time, for many partitions.
 *
 * Version 0, with its lists of offsets, is gone (KIP-896). Version 2 brought isolation (KIP-98), 4 leader epochs (KIP-320),
 * 5 OFFSET_NOT_AVAILABLE (KIP-207), 7 the time -3, for the record with the latest timestamp (KIP-734).
 */
import { int8, int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

/** Times that are no times. */
export const TIMESTAMP_LATEST = -1;
export const TIMESTAMP_EARLIEST = -2;
/** The record with the latest timestamp (KIP-734). */
export const TIMESTAMP_MAX = -3;

export const listOffsets = api({
  key: 2,
  name: "ListOffsets",
  versions: [1, 7],
  flexibleFrom: 6,
  request: struct({
    /** -1: a consumer. */
    replicaId: field(int32, { default: -1 }),
    /** 0: up to the high watermark; 1: up to the last stable offset. */
    isolationLevel: field(int8, { versions: "2+", default: 0 }),
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                /** -1: not checked. */
                currentLeaderEpoch: field(int32, { versions: "4+", default: -1 }),
                /** Milliseconds, or one of -1, -2, -3. */
                timestamp: field(int64),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "2+", default: 0 }),
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                errorCode: field(int16),
                /** Of the record found; -1: none was, or none was looked for. */
                timestamp: field(int64, { default: -1 }),
                offset: field(int64, { default: -1 }),
                leaderEpoch: field(int32, { versions: "4+", default: -1 }),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
