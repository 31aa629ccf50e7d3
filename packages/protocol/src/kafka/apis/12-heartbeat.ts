/**
 * Heartbeat: a member of a classic group is alive, and hears whether the group rebalances.
 *
 * Version 1 brought the throttle time, 3 static members (KIP-345).
 */
import { int16, int32, string } from "../field-types.ts";
import { api, field, struct } from "../schema.ts";

export const heartbeat = api({
  key: 12,
  name: "Heartbeat",
  versions: [0, 4],
  flexibleFrom: 4,
  request: struct({
    groupId: field(string),
    generationId: field(int32),
    memberId: field(string),
    groupInstanceId: field(string, { versions: "3+", nullable: "3+", default: null }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "1+", default: 0 }),
    errorCode: field(int16),
  }),
});
