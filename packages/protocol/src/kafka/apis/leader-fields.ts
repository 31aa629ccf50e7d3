/** Where to turn instead: what Produce and Fetch add to NOT_LEADER_OR_FOLLOWER (KIP-951, KIP-595). */
import { int32, string } from "../field-types.ts";
import { field, struct } from "../schema.ts";

/** The leader of a partition; -1 each: not known. */
export const currentLeader = struct({
  leaderId: field(int32, { default: -1 }),
  leaderEpoch: field(int32, { default: -1 }),
});

/** Where a leader named in the response is reached. */
export const nodeEndpoint = struct({
  nodeId: field(int32),
  host: field(string),
  port: field(int32),
  rack: field(string, { nullable: "0+", default: null }),
});
