/**
 * OffsetFetch: the offsets that groups have committed.
 *
 * Version 0 is gone (KIP-896). Version 2 may ask for all topics (KIP-88), 5 brought leader epochs (KIP-320), 7 the wish to
 * wait for what transactions hold back (KIP-447), 8 many groups at once (KIP-709), 9 members of the consumer kind (KIP-848).
 * Up to version 7 question and answer lie in the fields of the messages themselves.
 */
import { boolean, int16, int32, int64, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

const requestTopic = struct({
  name: field(string),
  partitionIndexes: field(arrayOf(int32)),
});

/** Offset -1, metadata "" and no error: nothing was committed. */
const responseTopic = struct({
  name: field(string),
  partitions: field(
    arrayOf(
      struct({
        partitionIndex: field(int32),
        committedOffset: field(int64),
        committedLeaderEpoch: field(int32, { versions: "5+", default: -1 }),
        metadata: field(string, { nullable: "0+" }),
        errorCode: field(int16),
      }),
    ),
  ),
});

export const offsetFetch = api({
  key: 9,
  name: "OffsetFetch",
  versions: [1, 9],
  flexibleFrom: 6,
  request: struct({
    groupId: field(string, { versions: "0-7", default: "" }),
    /** Null: all that have offsets. */
    topics: field(arrayOf(requestTopic), { versions: "0-7", nullable: "2-7", default: [] }),
    groups: field(
      arrayOf(
        struct({
          groupId: field(string),
          memberId: field(string, { versions: "9+", nullable: "9+", default: null }),
          memberEpoch: field(int32, { versions: "9+", default: -1 }),
          /** Null: all that have offsets. */
          topics: field(arrayOf(requestTopic), { nullable: "8+" }),
        }),
      ),
      { versions: "8+", default: [] },
    ),
    requireStable: field(boolean, { versions: "7+", default: false }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "3+", default: 0 }),
    topics: field(arrayOf(responseTopic), { versions: "0-7", default: [] }),
    errorCode: field(int16, { versions: "2-7", default: 0 }),
    groups: field(
      arrayOf(
        struct({
          groupId: field(string),
          topics: field(arrayOf(responseTopic)),
          errorCode: field(int16),
        }),
      ),
      { versions: "8+", default: [] },
    ),
  }),
});
