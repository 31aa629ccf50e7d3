/** FindCoordinator, OffsetCommit, OffsetFetch, OffsetDelete, by nobody in particular. */
import type { World } from "../world.ts";
import type { Scenario } from "./scenario.ts";

async function coordinators(world: World): Promise<void> {
  const ask = (step: string, keyType: number, ...keys: string[]) =>
    world.askUntilReady(step, "FindCoordinator", { key: keys[0] ?? "", coordinatorKeys: keys, keyType });
  await ask("of a group", 0, world.name("g"));
  await ask("of a group without a name", 0, "");
  await ask("of no group", 0);
  if (world.version("FindCoordinator") === 0) return;
  await ask("of two groups", 0, world.name("g"), world.name("h"));
  await ask("of a transactional id", 1, world.name("t"));
  await ask("of a transactional id without a name", 1, "");
  await ask("of a kind that nobody knows", 7, world.name("g"));
  await ask("of a share group", 2, world.name("s"));
}

interface Commit {
  readonly partitionIndex?: number;
  readonly committedOffset?: number;
  readonly committedMetadata?: string | null;
  readonly committedLeaderEpoch?: number;
}

/** Fields for the versions with one group and for those with many. */
export function offsetsOf(
  groupId: string,
  topics: readonly { name: string; partitionIndexes: number[] }[] | null,
) {
  const own = topics === null ? null : [...topics];
  return { groupId, topics: own ?? [], groups: [{ groupId, topics: own }] };
}

/** Who commits for a group, and looks at what it has. */
function committer(world: World, name: string, group: string) {
  const commit = (step: string, parts: Commit, more: object = {}, topic = name) =>
    world.ask(step, "OffsetCommit", {
      groupId: group,
      topics: [
        {
          name: topic,
          partitions: [{ partitionIndex: 0, committedOffset: 5, committedMetadata: "note", ...parts }],
        },
      ],
      ...more,
    });
  const fetch = (
    step: string,
    groupId = group,
    partitionIndexes = [0, 1, 2],
    topic = name,
    more: object = {},
  ) =>
    world.ask(step, "OffsetFetch", { ...offsetsOf(groupId, [{ name: topic, partitionIndexes }]), ...more });
  return { commit, fetch };
}

async function commits(world: World): Promise<void> {
  const { name } = await world.makeTopic("committed", 3);
  const group = world.name("committers");
  const { commit, fetch } = committer(world, name, group);
  await fetch("of a group that is not there");
  await commit("an offset", {});
  await fetch("what was committed");
  await commit("an offset of long ago", { committedOffset: 2, committedMetadata: null });
  await fetch("what was committed then");
  await commit("with an epoch", { partitionIndex: 1, committedLeaderEpoch: 0 });
  await fetch("what was committed with an epoch");
  await commit("an offset of -1", { partitionIndex: 2, committedOffset: -1 });
  await fetch("what was committed as -1");
  await commit("an offset of -2", { partitionIndex: 2, committedOffset: -2 });
  await fetch("what was committed as -2");
  await commit("an offset far behind the end", { partitionIndex: 2, committedOffset: 9_000_000 });
  await refusals(world, name, group);
  await looks(world, name, group);
}

async function refusals(world: World, name: string, group: string): Promise<void> {
  const { commit } = committer(world, name, group);
  await commit("a note of 4096 letters", { committedMetadata: "n".repeat(4096) });
  await commit("a note of 4097 letters", { committedMetadata: "n".repeat(4097) });
  await commit("a partition that is not there", { partitionIndex: 9 });
  await commit("a partition below 0", { partitionIndex: -1 });
  await commit("a topic that is not there", {}, {}, world.name("nobody"));
  await commit("a topic without a name", {}, {}, "");
  await commit("a group without a name", {}, { groupId: "" });
  await commit("a member that is none", {}, { memberId: "nobody", generationIdOrMemberEpoch: 1 });
  await commit("a member that is none, of no generation", {}, { memberId: "nobody" });
  await commit("a generation without a member", {}, { generationIdOrMemberEpoch: 3 });
  await commit(
    "a member of a group that is not there",
    {},
    {
      groupId: world.name("nobodys"),
      memberId: "nobody",
      generationIdOrMemberEpoch: 1,
    },
  );
  if (world.version("OffsetCommit") >= 7)
    await commit("an instance that is none", {}, { groupInstanceId: "me" });
  await world.ask("one good and one bad", "OffsetCommit", {
    groupId: group,
    topics: [
      {
        name,
        partitions: [1, 9].map((partitionIndex) => ({
          ...{ partitionIndex, committedOffset: 7, committedMetadata: "" },
        })),
      },
    ],
  });
  await world.ask("nothing", "OffsetCommit", { groupId: group, topics: [] });
}

async function looks(world: World, name: string, group: string): Promise<void> {
  const { fetch } = committer(world, name, group);
  await fetch("what is there at the end");
  await fetch("a partition that is not there", group, [9]);
  await fetch("a topic that is not there", group, [0], world.name("nobody"));
  await fetch("of a group without a name", "");
  if (world.pass === "high") await world.ask("all of a group", "OffsetFetch", offsetsOf(group, null));
  await world.ask("none of a group", "OffsetFetch", offsetsOf(group, []));
  await fetch("what is stable", group, [0], name, { requireStable: true });
  if (world.pass === "low") return;
  const asMember = { groupId: group, topics: null, memberId: "nobody", memberEpoch: 1 };
  await world.ask("as a member that is none", "OffsetFetch", { groups: [asMember] });
  await world.ask("of two groups", "OffsetFetch", {
    groups: [group, world.name("nobodys")].map((groupId) => ({ groupId, topics: null })),
  });
  await world.ask("of no group", "OffsetFetch", { groups: [] });
}

async function forgetting(world: World): Promise<void> {
  const { name } = await world.makeTopic("forgotten", 2);
  const group = world.name("forgetful");
  const partition = { partitionIndex: 0, committedOffset: 5, committedMetadata: "" };
  await world.until(
    "OffsetCommit",
    { groupId: group, topics: [{ name, partitions: [partition] }] },
    (plain) => JSON.stringify(plain).includes("NONE"),
  );
  const remove = (step: string, groupId: string, topic: string, ...partitions: number[]) =>
    world.ask(step, "OffsetDelete", {
      groupId,
      topics: [{ name: topic, partitions: partitions.map((partitionIndex) => ({ partitionIndex })) }],
    });
  await remove("of a group that is not there", world.name("nobodys"), name, 0);
  await remove("of a group without a name", "", name, 0);
  await remove("what was not committed", group, name, 1);
  await remove("a partition that is not there", group, name, 9);
  await remove("a topic that is not there", group, world.name("nobody"), 0);
  await remove("what was committed", group, name, 0);
  await remove("the same again", group, name, 0);
  await world.ask("what is left", "OffsetFetch", offsetsOf(group, [{ name, partitionIndexes: [0, 1] }]));
  await world.ask("nothing", "OffsetDelete", { groupId: group, topics: [] });
}

export const OFFSETS: readonly Scenario[] = [
  { name: "coordinators", run: coordinators },
  { name: "offsets", run: commits },
  { name: "forget offsets", run: forgetting },
];
