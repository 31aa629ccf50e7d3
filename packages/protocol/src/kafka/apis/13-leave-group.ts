/**
 * LeaveGroup: members leave a classic group, or are removed from it.
 *
 * Up to version 2 one member leaves; from 3 on many may, named by static ids too (KIP-345). Version 5 brought the reason
 * (KIP-800).
 */
import { int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

export const leaveGroup = api({
  key: 13,
  name: "LeaveGroup",
  versions: [0, 5],
  flexibleFrom: 4,
  request: struct({
    groupId: field(string),
    memberId: field(string, { versions: "0-2", default: "" }),
    members: field(
      arrayOf(
        struct({
          /** "": removed by its `groupInstanceId`. */
          memberId: field(string),
          groupInstanceId: field(string, { nullable: "3+", default: null }),
          reason: field(string, { versions: "5+", nullable: "5+", default: null }),
        }),
      ),
      { versions: "3+", default: [] },
    ),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "1+", default: 0 }),
    errorCode: field(int16),
    members: field(
      arrayOf(
        struct({
          memberId: field(string),
          groupInstanceId: field(string, { nullable: "3+", default: null }),
          errorCode: field(int16),
        }),
      ),
      { versions: "3+", default: [] },
    ),
  }),
});
