/** Of groups and committed offsets. */
import type { Expectation } from "../compare.ts";

const NAMELESS = "a group has a name";

export const GROUP_BOUNDARIES: readonly Expectation[] = [
  ...[
    ["coordinators", "of a group without a name"],
    ["coordinators", "of no group"],
    ["offsets", "a group without a name"],
    ["offsets", "of a group without a name"],
    ["a group of one", "a group without a name*"],
    ["transactions with offsets", "*a group without a name"],
  ].map(([scenario = "", step = ""]) => ({ scenario, step, reason: NAMELESS })),
  {
    ...{ scenario: "coordinators", step: "of a transactional id without a name" },
    reason: "a transactional id has a name",
  },
  {
    ...{ scenario: "offsets", path: "*.committedLeaderEpoch", ours: "-1", kafka: "0" },
    reason: "leader epochs are not kept beside committed offsets (KIP-320)",
  },
  ...["the same again", "nothing"].map((step) => ({
    ...{ scenario: "forget offsets", step },
    reason: "a group without members and offsets is none",
  })),
  {
    ...{ scenario: "a group of one", step: "with operations", path: "*.authorizedOperations" },
    ...{ ours: "328", kafka: "3400" },
    reason: "groups have no settings (KIP-848) that could be read or changed",
  },
  {
    ...{ scenario: "joins that are refused", step: "an instance without a name" },
    reason: "a static member has a name",
  },
];
