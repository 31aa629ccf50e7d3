/**
 * DescribeLogDirs: how large the logs are that the asked broker holds, and in which folder they lie (KIP-113).
 *
 * Version 3 brought an error of the whole, 4 the size of the volume (KIP-827).
 */
import { boolean, int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

const partition = struct({
  partitionIndex: field(int32),
  partitionSize: field(int64),
  /** By how much its end is below the high watermark. */
  offsetLag: field(int64),
  /** Whether it is about to take another's place. */
  isFutureKey: field(boolean),
});

export const describeLogDirs = api({
  key: 35,
  name: "DescribeLogDirs",
  versions: [1, 4],
  flexibleFrom: 2,
  request: struct({
    /** Null: all. */
    topics: field(
      arrayOf(
        struct({
          topic: field(string),
          partitions: field(arrayOf(int32)),
        }),
      ),
      { nullable: "0+" },
    ),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    errorCode: field(int16, { versions: "3+", default: 0 }),
    results: field(
      arrayOf(
        struct({
          errorCode: field(int16),
          logDir: field(string),
          topics: field(
            arrayOf(
              struct({
                name: field(string),
                partitions: field(arrayOf(partition)),
              }),
            ),
          ),
          /** -1: not known. */
          totalBytes: field(int64, { versions: "4+", default: -1 }),
          usableBytes: field(int64, { versions: "4+", default: -1 }),
        }),
      ),
    ),
  }),
});
