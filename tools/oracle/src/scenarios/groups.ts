/** Classic groups: JoinGroup, SyncGroup, Heartbeat, LeaveGroup, DescribeGroups, ListGroups, DeleteGroups. */
import type { World } from "../world.ts";
import type { Scenario } from "./scenario.ts";

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** What a consumer says of itself: the topics that it reads. */
export function subscription(...topics: string[]): Buffer {
  const head = Buffer.alloc(6);
  head.writeInt32BE(topics.length, 2);
  return Buffer.concat([head, ...topics.map(text), Buffer.of(255, 255, 255, 255)]);
}

interface JoinParts {
  readonly memberId?: string;
  readonly groupInstanceId?: string | null;
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
  readonly protocolType?: string;
  readonly protocols?: { name: string; metadata: Buffer }[];
  readonly reason?: string | null;
}

/** One group, and whoever asks something of it. */
export class GroupTalk {
  readonly world: World;
  readonly groupId: string;

  constructor(world: World, base: string) {
    this.world = world;
    this.groupId = world.name(base);
  }

  request(parts: JoinParts, groupId = this.groupId) {
    const protocols = [{ name: "range", metadata: subscription(this.world.name("read")) }];
    const timeouts = { sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 3_000 };
    return { groupId, ...timeouts, memberId: "", protocolType: "consumer", protocols, ...parts };
  }

  join(step: string, parts: JoinParts = {}, client?: string, groupId?: string) {
    return this.world.askUntilReady(step, "JoinGroup", this.request(parts, groupId), client);
  }

  /** As clients do: asks for an id first where the version has that, and joins by it. Returns the id. */
  async enter(name: string, parts: JoinParts = {}, client = name): Promise<string> {
    const first = await this.join(`${name} asks for an id`, parts, client);
    let memberId = first?.memberId ?? "";
    this.world.aliases.name("member", memberId, name);
    if (first?.errorCode === 79) {
      const second = await this.join(`${name} joins`, { ...parts, memberId }, client);
      memberId = second?.memberId ?? memberId;
    }
    return memberId;
  }

  sync(step: string, memberId: string, generationId: number, parts: object = {}, client?: string) {
    const request = { groupId: this.groupId, generationId, memberId, assignments: [], ...parts };
    return this.world.ask(step, "SyncGroup", request, client);
  }

  beat(step: string, memberId: string, generationId: number, parts: object = {}) {
    const request = { groupId: this.groupId, generationId, memberId, ...parts };
    return this.world.ask(step, "Heartbeat", request, "beats");
  }

  leave(step: string, memberId: string, groupInstanceId: string | null = null, groupId = this.groupId) {
    const members = [{ memberId, groupInstanceId }];
    return this.world.ask(step, "LeaveGroup", { groupId, memberId, members }, "leaves");
  }

  describe(step: string) {
    return this.world.ask(step, "DescribeGroups", { groups: [this.groupId] });
  }
}

async function alone(world: World): Promise<void> {
  const talk = new GroupTalk(world, "alone");
  await talk.describe("before anybody came");
  const memberId = await talk.enter("anna");
  await talk.describe("before the assignment");
  await talk.beat("a heartbeat before the assignment", memberId, 1);
  const protocol = { protocolType: "consumer", protocolName: "range" };
  await talk.sync("the assignment of a wrong generation", memberId, 7, protocol);
  await talk.sync("the assignment of a member that is none", "nobody", 1, protocol);
  const assignments = [
    { memberId, assignment: Buffer.from("mine") },
    { memberId: "nobody", assignment: Buffer.from("theirs") },
  ];
  if (world.version("SyncGroup") >= 5) {
    await talk.sync("of another protocol", memberId, 1, {
      assignments,
      protocolType: "consumer",
      protocolName: "sticky",
    });
    await talk.sync("of another type", memberId, 1, {
      assignments,
      protocolType: "connect",
      protocolName: "range",
    });
    await talk.sync("without a protocol", memberId, 1, { assignments });
  }
  await talk.sync("the assignment", memberId, 1, { assignments, ...protocol });
  await talk.sync("the assignment once more", memberId, 1, { assignments: [], ...protocol });
  await talk.describe("when it is stable");
  await talk.beat("a heartbeat", memberId, 1);
  await talk.beat("a heartbeat of an older generation", memberId, 0);
  await talk.beat("a heartbeat of a later generation", memberId, 2);
  await talk.beat("a heartbeat of a member that is none", "nobody", 1);
  await talk.beat("a heartbeat without a member", "", 1);
  await talk.beat("a heartbeat of a group that is not there", memberId, 1, {
    groupId: world.name("nobodys"),
  });
  await talk.beat("a heartbeat of a group without a name", memberId, 1, { groupId: "" });
  await inGeneration(talk, memberId);
  await world.ask("a group with a member is deleted", "DeleteGroups", { groupsNames: [talk.groupId] });
  await talk.join("the leader joins again", { memberId });
  await talk.sync("the leader assigns again", memberId, 2, { assignments, ...protocol });
  await talk.leave("a member that is none leaves", "nobody");
  await talk.leave("a group that is not there is left", memberId, null, world.name("nobodys"));
  await talk.leave("a group without a name is left", memberId, null, "");
  await talk.leave("the member leaves", memberId);
  await talk.leave("the member leaves again", memberId);
  await talk.beat("a heartbeat behind it", memberId, 2);
  await talk.describe("when it is empty");
  await deletions(talk);
}

/** What a member of generation 1 commits. */
async function inGeneration({ world, groupId }: GroupTalk, memberId: string): Promise<void> {
  const { name } = await world.makeTopic("read", 2);
  const commit = (step: string, generationIdOrMemberEpoch: number, member: string) =>
    world.ask(step, "OffsetCommit", {
      ...{ groupId, generationIdOrMemberEpoch, memberId: member },
      topics: [{ name, partitions: [{ partitionIndex: 0, committedOffset: 3, committedMetadata: "" }] }],
    });
  await commit("a commit", 1, memberId);
  await commit("a commit of an older generation", 0, memberId);
  await commit("a commit of a later generation", 5, memberId);
  await commit("a commit of a member that is none", 1, "nobody");
  await commit("a commit of nobody", -1, "");
  const remove = (step: string, topic: string) =>
    world.ask(step, "OffsetDelete", {
      groupId,
      topics: [{ name: topic, partitions: [{ partitionIndex: 0 }] }],
    });
  await remove("offsets of a topic that is read are deleted", name);
  const other = await world.makeTopic("not-read");
  await remove("offsets of a topic that is not read are deleted", other.name);
}

async function deletions({ world, groupId }: GroupTalk): Promise<void> {
  const remove = (step: string, ...groupsNames: string[]) => world.ask(step, "DeleteGroups", { groupsNames });
  const nobodys = world.name("nobodys");
  await remove("a group that is not there is deleted", nobodys);
  await remove("a group without a name is deleted", "");
  await remove("one that is there and one that is not", groupId, nobodys);
  await remove("the same twice", groupId, groupId);
  await remove("nothing", ...[]);
  const describe = (step: string, ...groups: string[]) => world.ask(step, "DescribeGroups", { groups });
  await describe("what was deleted", groupId);
  await describe("a group without a name", "");
  await describe("no group");
  await describe("two that are not there", nobodys, world.name("nobodys-either"));
  await world.ask("with operations", "DescribeGroups", {
    groups: [nobodys],
    includeAuthorizedOperations: true,
  });
}

async function refusals(world: World): Promise<void> {
  const talk = new GroupTalk(world, "refused");
  await talk.join("a session that is too short", { sessionTimeoutMs: 5 });
  await talk.join("a session that is too long", { sessionTimeoutMs: 99_999_999 });
  await talk.join("a session below 0", { sessionTimeoutMs: -1 });
  await talk.join("no protocol", { protocols: [] });
  await talk.join("no type of protocols", { protocolType: "" });
  await talk.join("a member that is none", { memberId: "nobody" });
  await talk.join("a group without a name", {}, undefined, "");
  if (world.version("JoinGroup") >= 5) {
    // Each into a group of its own: who is let in is not to be met by those who come later.
    await talk.join("an instance without a name", { groupInstanceId: "" }, "third", world.name("nameless"));
    await talk.join(
      "an instance with a bad name",
      { groupInstanceId: "a b" },
      "fourth",
      world.name("misnamed"),
    );
  }
  const memberId = await talk.enter("anna");
  await talk.sync("an empty assignment", memberId, 1, { protocolType: "consumer", protocolName: "range" });
  await talk.join("another type of protocols", { protocolType: "connect" }, "second");
  await talk.join(
    "no protocol in common",
    { protocols: [{ name: "mine", metadata: Buffer.of(1) }] },
    "second",
  );
  await talk.join("a second that is none", { memberId: "nobody" }, "second");
  await talk.join(
    "an instance of a member that is none",
    { memberId: "nobody", groupInstanceId: "i" },
    "second",
  );
  await talk.leave("it leaves", memberId);
  await talk.join("another type, when all have left", { protocolType: "connect" }, "second");
}

/** Who comes when a group is stable, and who leaves it. */
async function together(world: World): Promise<void> {
  const talk = new GroupTalk(world, "together");
  const protocol = { protocolType: "consumer", protocolName: "range" };
  const anna = await talk.enter("anna");
  const give = (...ids: string[]) => ids.map((memberId) => ({ memberId, assignment: Buffer.from("part") }));
  await talk.sync("anna assigns", anna, 1, { assignments: give(anna), ...protocol });
  // Bert's join waits for Anna to come again, which she hears of by her heartbeat.
  const bertComes = talk.enter("bert");
  await world.until("Heartbeat", { groupId: talk.groupId, generationId: 1, memberId: anna }, (plain) =>
    JSON.stringify(plain).includes("REBALANCE_IN_PROGRESS"),
  );
  await talk.beat("anna hears of it", anna, 1);
  await talk.sync("anna assigns too late", anna, 1, { assignments: give(anna), ...protocol }, "anna");
  await talk.describe("while it rebalances");
  const joining = talk.request({ memberId: anna });
  const [joined, bert] = await Promise.all([world.quietly("JoinGroup", joining, "anna"), bertComes]);
  // Noted when Bert's id has its name.
  world.noteOutcome("anna joins again", "JoinGroup", joined);
  await talk.beat("bert's heartbeat before the assignment", bert, 2);
  const bertWaits = talk.sync("bert waits for his part", bert, 2, protocol, "bert");
  await talk.sync("anna assigns to both", anna, 2, { assignments: give(anna, bert), ...protocol }, "anna");
  await bertWaits;
  await talk.sync("bert asks for his part again", bert, 2, protocol, "bert");
  await talk.describe("when it is stable");
  await talk.join("bert joins again as he was", { memberId: bert }, "bert");
  await talk.leave("bert leaves", bert);
  await talk.beat("anna hears that he has left", anna, 2);
  await talk.join("anna joins once more", { memberId: anna }, "anna");
  await talk.beat("bert's heartbeat", bert, 2);
}

async function instances(world: World): Promise<void> {
  if (world.pass === "low") return;
  const talk = new GroupTalk(world, "static");
  const protocol = { protocolType: "consumer", protocolName: "range" };
  const groupInstanceId = "instance";
  const first = await talk.enter("anna", { groupInstanceId });
  await talk.sync("anna assigns", first, 1, {
    ...{ groupInstanceId, ...protocol },
    assignments: [{ memberId: first, assignment: Buffer.from("part") }],
  });
  const second = await talk.join("another under the same name", { groupInstanceId }, "second");
  const now = second?.memberId ?? "";
  world.aliases.name("member", now, "anna's second life");
  await talk.beat("a heartbeat of the first", first, 1, { groupInstanceId });
  await talk.beat("a heartbeat of the first without its name", first, 1);
  await talk.beat("a heartbeat of the second", now, second?.generationId ?? 0, { groupInstanceId });
  await talk.beat("a heartbeat under another name", now, second?.generationId ?? 0, {
    groupInstanceId: "else",
  });
  await talk.join("the first joins again", { groupInstanceId, memberId: first });
  await talk.sync("the first asks for its part", first, 1, { groupInstanceId, ...protocol });
  await talk.sync("the second asks for its part", now, second?.generationId ?? 0, {
    groupInstanceId,
    ...protocol,
  });
  await talk.describe("the group");
  await talk.leave("the first leaves by its id", first, groupInstanceId);
  await talk.leave("a name that nobody has leaves", "", "else");
  await talk.leave("the name leaves", "", groupInstanceId);
  await talk.leave("the name leaves again", "", groupInstanceId);
  await talk.describe("what is left");
}

async function listing(world: World): Promise<void> {
  const talk = new GroupTalk(world, "listed");
  const memberId = await talk.enter("anna");
  const list = async (step: string, request: { statesFilter?: string[]; typesFilter?: string[] }) => {
    const outcome = await world.quietly("ListGroups", request);
    if (outcome.kind !== "answer") return world.note(step, "ListGroups", outcome.kind);
    // Groups of other scenarios are there as well.
    const groups = outcome.response.groups.filter(({ groupId }) => groupId === talk.groupId);
    const found = groups.map(({ groupId: _, ...rest }) => rest);
    world.note(step, "ListGroups", { errorCode: outcome.response.errorCode, groups: found });
  };
  await list("all", {});
  await list("of a state", { statesFilter: ["CompletingRebalance"] });
  await list("of a state in small letters", { statesFilter: ["completingrebalance"] });
  await list("of another state", { statesFilter: ["Empty"] });
  await list("of a state that nobody knows", { statesFilter: ["Magic"] });
  if (world.version("ListGroups") >= 5) {
    await list("of a type", { typesFilter: ["classic"] });
    await list("of a type in large letters", { typesFilter: ["CLASSIC"] });
    await list("of another type", { typesFilter: ["consumer"] });
    await list("of a type that nobody knows", { typesFilter: ["magic"] });
  }
  await talk.leave("it leaves", memberId);
  await list("when it is empty", {});
}

export const GROUPS: readonly Scenario[] = [
  { name: "a group of one", run: alone },
  { name: "joins that are refused", run: refusals },
  { name: "a group of two", run: together },
  { name: "static members", run: instances },
  { name: "list groups", run: listing },
];
