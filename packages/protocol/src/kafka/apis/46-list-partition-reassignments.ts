/** ListPartitionReassignments: partitions whose replicas are on their way to other brokers (KIP-455). */
import { int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const listPartitionReassignments = api({
  key: 46,
  name: "ListPartitionReassignments",
  versions: [0, 0],
  flexibleFrom: 0,
  request: struct({
    timeoutMs: field(int32, { default: 60_000 }),
    /** Null: all. */
    topics: field(arrayOf(struct({ name: field(string), partitionIndexes: field(arrayOf(int32)) })), {
      nullable: "0+",
      default: null,
    }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    errorCode: field(int16),
    errorMessage: field(string, { nullable: "0+", default: null }),
    /** Only those of which something is under way. */
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                replicas: field(arrayOf(int32)),
                addingReplicas: field(arrayOf(int32)),
                removingReplicas: field(arrayOf(int32)),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
