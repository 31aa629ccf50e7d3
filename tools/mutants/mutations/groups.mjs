/** Who is a member, and what it may commit. */

/** @type {import("../mutation.mjs").Mutation[]} */
export const GROUPS = [
  {
    name: "commit-of-an-old-generation",
    sentence: "a member of an old generation may commit",
    file: "group/commit-check.ts",
    from: "if (generation !== group.generation) throw illegalGeneration(group, generation);",
    to: "",
    seed: 6,
  },
  {
    name: "commit-of-anybody",
    sentence: "a member may commit what is not assigned to it",
    file: "group/commit-check.ts",
    from: "if (foreign !== undefined) throw notPartitionOwner(group, memberId, foreign);",
    to: "",
    seed: 18,
  },
  {
    name: "generation-not-raised",
    sentence: "a change of the members leaves the generation as it is",
    file: "group/rebalance.ts",
    from: "const generation = group.generation + 1;",
    to: "const generation = Math.max(1, group.generation);",
    seed: 1,
  },
  {
    name: "two-owners",
    sentence: "a partition is handed out before its owner has let it go",
    file: "group/rebalance.ts",
    from: "const held = keysOf(members.flatMap(({ assigned }) => assigned));",
    to: "const held = keysOf(members.flatMap(({ assigned }) => assigned.slice(assigned.length)));",
    seed: 1,
  },
  {
    name: "session-without-end",
    sentence: "a member that is silent stays a member",
    file: "group/sessions.ts",
    from: "if (nowMs - session.heardMs >= sessionTimeoutMs)",
    to: "if (nowMs - session.heardMs >= sessionTimeoutMs * 1e6)",
    seed: 8,
  },
  {
    name: "loaded-before-the-disks",
    sentence:
      "a coordinator that is loaded takes what is visible for certain, also where a power cut can take it",
    file: "coordinator/shard-load.ts",
    from: "return await set.whenVisibleIsKept();",
    to: "return set.highWatermark;",
    seed: 204241,
  },
];
