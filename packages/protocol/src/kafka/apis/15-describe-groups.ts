/**
 * DescribeGroups: the state of groups and their members, with what the members told each other.
 *
 * Version 1 brought the throttle time, 3 the authorized operations (KIP-430), 4 the instance ids of static members (KIP-345).
 */
import { boolean, bytes, int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";
import { OPERATIONS_NOT_ASKED } from "./authorized-operations.ts";

const member = struct({
  memberId: field(string),
  groupInstanceId: field(string, { versions: "4+", nullable: "4+", default: null }),
  clientId: field(string),
  /** Where it comes from: Kafka writes the address behind a slash. */
  clientHost: field(string),
  /** Of the protocol that the group has chosen. */
  memberMetadata: field(bytes),
  memberAssignment: field(bytes),
});

const group = struct({
  errorCode: field(int16),
  groupId: field(string),
  groupState: field(string),
  /** "consumer", or empty for a group that has had no member. */
  protocolType: field(string),
  /** The name of the protocol that the group has chosen. */
  protocolData: field(string),
  members: field(arrayOf(member)),
  authorizedOperations: field(int32, { versions: "3+", default: OPERATIONS_NOT_ASKED }),
});

export const describeGroups = api({
  key: 15,
  name: "DescribeGroups",
  versions: [0, 5],
  flexibleFrom: 5,
  request: struct({
    groups: field(arrayOf(string)),
    includeAuthorizedOperations: field(boolean, { versions: "3+", default: false }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { versions: "1+", default: 0 }),
    groups: field(arrayOf(group)),
  }),
});
