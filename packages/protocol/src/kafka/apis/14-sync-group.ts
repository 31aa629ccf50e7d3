/**
 * SyncGroup: the leader of a classic group brings the assignment, and every member gets its part.
 *
 * Version 1 brought the throttle time, 3 static members (KIP-345), 5 the type and name of the protocol, which are compared
 * with the group's (KIP-559).
 */
import { bytes, int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

const protocolFields = {
  protocolType: field(string, { versions: "5+", nullable: "5+", default: null }),
  protocolName: field(string, { versions: "5+", nullable: "5+", default: null }),
};

export const syncGroup = api({
  key: 14,
  name: "SyncGroup",
  versions: [0, 5],
  flexibleFrom: 4,
  request: struct({
    groupId: field(string),
    generationId: field(int32),
    memberId: field(string),
    groupInstanceId: field(string, { versions: "3+", nullable: "3+", default: null }),
    ...protocolFields,
    /** Empty from all but the leader. */
    assignments: field(
      arrayOf(
        struct({
          memberId: field(string),
          assignment: field(bytes),
        }),
      ),
    ),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "1+", default: 0 }),
    errorCode: field(int16),
    ...protocolFields,
    /** Empty with an error. */
    assignment: field(bytes),
  }),
});
