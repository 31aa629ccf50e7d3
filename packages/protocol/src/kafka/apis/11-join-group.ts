/**
 * JoinGroup: a member enters a classic group, or enters it anew when it rebalances; answered when all have.
 *
 * Version 1 brought a rebalance timeout of its own (KIP-62), 4 MEMBER_ID_REQUIRED (KIP-394), 5 static members (KIP-345),
 * 7 the type and name of the protocol in the answer (KIP-559), 8 the reason (KIP-800), 9 a leader that need not assign
 * anew (KIP-814).
 */
import { boolean, bytes, int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const joinGroup = api({
  key: 11,
  name: "JoinGroup",
  versions: [0, 9],
  flexibleFrom: 6,
  request: struct({
    groupId: field(string),
    sessionTimeoutMs: field(int32),
    /** -1: as long as the session. */
    rebalanceTimeoutMs: field(int32, { versions: "1+", default: -1 }),
    /** "": none yet. */
    memberId: field(string),
    groupInstanceId: field(string, { versions: "5+", nullable: "5+", default: null }),
    protocolType: field(string),
    /** The assignors that the member knows, the one that it likes best first. */
    protocols: field(
      arrayOf(
        struct({
          name: field(string),
          metadata: field(bytes),
        }),
      ),
    ),
    reason: field(string, { versions: "8+", nullable: "8+", default: null }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "2+", default: 0 }),
    errorCode: field(int16),
    generationId: field(int32, { default: -1 }),
    protocolType: field(string, { versions: "7+", nullable: "7+", default: null }),
    /** Before version 7 an error has "". */
    protocolName: field(string, { nullable: "7+" }),
    leader: field(string),
    skipAssignment: field(boolean, { versions: "9+", default: false }),
    memberId: field(string),
    /** All members for the leader, none for the others. */
    members: field(
      arrayOf(
        struct({
          memberId: field(string),
          groupInstanceId: field(string, { versions: "5+", nullable: "5+", default: null }),
          metadata: field(bytes),
        }),
      ),
    ),
  }),
});
