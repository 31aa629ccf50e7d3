/**
 * OffsetCommit: a group's offsets are kept.
 *
 * Versions 0 and 1 are gone (KIP-896). Version 5 no longer says for how long (KIP-211), 6 brought leader epochs (KIP-320),
 * 7 static members (KIP-345), 9 members of the consumer kind (KIP-848).
 */
import { int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const offsetCommit = api({
  key: 8,
  name: "OffsetCommit",
  versions: [2, 9],
  flexibleFrom: 8,
  request: struct({
    groupId: field(string),
    /** The generation of a classic group, the member's epoch in a consumer group; -1: no member. */
    generationIdOrMemberEpoch: field(int32, { default: -1 }),
    /** "": no member. */
    memberId: field(string, { default: "" }),
    groupInstanceId: field(string, { versions: "7+", nullable: "7+", default: null }),
    /** -1: as the broker's settings say. */
    retentionTimeMs: field(int64, { versions: "2-4", default: -1 }),
    topics: field(
      arrayOf(
        struct({
          name: field(string),
          partitions: field(
            arrayOf(
              struct({
                partitionIndex: field(int32),
                committedOffset: field(int64),
                committedLeaderEpoch: field(int32, { versions: "6+", default: -1 }),
                committedMetadata: field(string, { nullable: "0+" }),
              }),
            ),
          ),
        }),
      ),
    ),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "3+", default: 0 }),
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
