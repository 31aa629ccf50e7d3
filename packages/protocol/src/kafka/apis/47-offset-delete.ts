/** OffsetDelete: committed offsets of a group, for partitions of topics that no member reads (KIP-496). */
import { int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const offsetDelete = api({
  key: 47,
  name: "OffsetDelete",
  versions: [0, 0],
  flexibleFrom: null,
  request: struct({
    groupId: field(string),
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(arrayOf(struct({ partitionIndex: field(int32) }))),
        }),
      ),
    ),
  }),
  response: struct({
    /** Of the whole group; nothing follows then. */
    errorCode: field(int16),
    throttleTimeMs: field(int32, { default: 0 }),
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                errorCode: field(int16),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
