/** DeleteRecords: everything below an offset of a partition (KIP-107). Its leader is asked. All versions say the same. */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

/** Delete up to the high watermark. */
export const DELETE_TO_HIGH_WATERMARK = -1;

export const deleteRecords = api({
  key: 21,
  name: "DeleteRecords",
  versions: [0, 2],
  flexibleFrom: 2,
  request: struct({
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                /** The first that stays, or {@link DELETE_TO_HIGH_WATERMARK}. */
                offset: field(int64),
              }),
            ),
          ),
        }),
      ),
    ),
    timeoutMs: field(int32),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                /** The first offset that can be read, -1 with an error. */
                lowWatermark: field(int64),
                errorCode: field(int16),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
