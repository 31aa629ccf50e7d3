/** CreatePartitions: more partitions for topics (KIP-195). Version 3 may say that a quota is used up. */
import { boolean, int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const createPartitions = api({
  key: 37,
  name: "CreatePartitions",
  versions: [0, 3],
  flexibleFrom: 2,
  request: struct({
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          /** How many there will be, those that are there included. */
          count: field(int32),
          /** Of the new ones; null: the broker chooses. */
          assignments: field(arrayOf(struct({ brokerIds: field(arrayOf(int32)) })), {
            nullable: "0+",
            default: null,
          }),
        }),
      ),
    ),
    timeoutMs: field(int32),
    validateOnly: field(boolean, { default: false }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    results: field(
      arrayOf(
        struct({
          name: field(string),
          errorCode: field(int16),
          errorMessage: field(string, { nullable: "0+", default: null }),
        }),
      ),
    ),
  }),
});
