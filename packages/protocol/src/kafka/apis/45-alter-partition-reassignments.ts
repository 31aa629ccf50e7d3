/** AlterPartitionReassignments: the replicas of partitions go to other brokers, or stay after all (KIP-455). */
import { int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const alterPartitionReassignments = api({
  key: 45,
  name: "AlterPartitionReassignments",
  versions: [0, 0],
  flexibleFrom: 0,
  request: struct({
    timeoutMs: field(int32, { default: 60_000 }),
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                /** Brokers, the preferred leader first; null ends a reassignment that is under way. */
                replicas: field(arrayOf(int32), { nullable: "0+", default: null }),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    errorCode: field(int16),
    errorMessage: field(string, { nullable: "0+", default: null }),
    responses: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                errorCode: field(int16),
                errorMessage: field(string, { nullable: "0+", default: null }),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
});
