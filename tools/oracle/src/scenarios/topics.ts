/** CreateTopics, CreatePartitions, DeleteTopics, DescribeLogDirs. */
import type { World } from "../world.ts";
import type { Scenario } from "./scenario.ts";

const UNKNOWN_ID = "11111111-1111-1111-1111-111111111111";

function topicRequest(name: string, more: object = {}) {
  return { name, numPartitions: 1, replicationFactor: 1, ...more };
}

function assigned(...partitions: readonly (readonly [number, readonly number[]])[]) {
  return {
    numPartitions: -1,
    replicationFactor: -1,
    assignments: partitions.map(([partitionIndex, brokerIds]) => ({
      partitionIndex,
      brokerIds: [...brokerIds],
    })),
  };
}

function configured(name: string, value: string | null) {
  return { configs: [{ name, value }] };
}

const CASES: readonly (readonly [string, object])[] = [
  ["three partitions", { numPartitions: 3 }],
  ["no partitions", { numPartitions: 0 }],
  ["as many partitions as usual", { numPartitions: -1 }],
  ["-2 partitions", { numPartitions: -2 }],
  ["no replicas", { replicationFactor: 0 }],
  ["as many replicas as usual", { replicationFactor: -1 }],
  ["-2 replicas", { replicationFactor: -2 }],
  ["more replicas than brokers", { replicationFactor: 2 }],
  ["two partitions by hand", assigned([0, [1]], [1, [1]])],
  ["by hand, in another order", assigned([1, [1]], [0, [1]])],
  ["by hand, without the first", assigned([1, [1]])],
  ["by hand, one twice", assigned([0, [1]], [0, [1]])],
  ["by hand, on a broker that is not there", assigned([0, [8]])],
  ["by hand, on no broker", assigned([0, []])],
  ["by hand, on one broker twice", assigned([0, [1, 1]])],
  ["by hand, with a number of partitions", { ...assigned([0, [1]]), numPartitions: 1 }],
  ["by hand, with a number of replicas", { ...assigned([0, [1]]), replicationFactor: 1 }],
  ["compacted", configured("cleanup.policy", "compact")],
  ["compacted and deleted", configured("cleanup.policy", "compact,delete")],
  ["an unknown policy", configured("cleanup.policy", "magic")],
  ["an empty policy", configured("cleanup.policy", "")],
  ["an unknown setting", configured("no.such.setting", "1")],
  ["a setting of null", configured("retention.ms", null)],
  ["a setting that is no number", configured("retention.ms", "soon")],
  ["a setting out of its bounds", configured("retention.ms", "-2")],
  ["a setting with spaces", configured("retention.ms", " 5000 ")],
  ["a ratio out of its bounds", configured("min.cleanable.dirty.ratio", "1.5")],
  ["small segments", configured("segment.bytes", "2000000")],
  ["large batches", configured("max.message.bytes", "5000000")],
  ["batches of less than nothing", configured("max.message.bytes", "-1")],
  ["another codec", configured("compression.type", "gzip")],
  ["a codec that nobody has", configured("compression.type", "magic")],
  ["unclean elections", configured("unclean.leader.election.enable", "true")],
  ["unclean elections, or not", configured("unclean.leader.election.enable", "perhaps")],
  ["replicas in sync", configured("min.insync.replicas", "0")],
  ["times of the append", configured("message.timestamp.type", "LogAppendTime")],
  ["times of nobody", configured("message.timestamp.type", "Mine")],
  ["a setting twice", { configs: ["5000", "6000"].map((value) => ({ name: "retention.ms", value })) }],
];

async function creation(world: World): Promise<void> {
  const create = (step: string, topics: readonly ReturnType<typeof topicRequest>[], validateOnly = false) =>
    world.ask(step, "CreateTopics", { topics: [...topics], timeoutMs: 10_000, validateOnly });
  for (const [place, [what, more]] of CASES.entries()) {
    await create(what, [topicRequest(world.name(`made-${place}`), more)]);
  }
  const name = world.name("again");
  await create("a try", [topicRequest(name)], true);
  await create("a try of what is wrong", [topicRequest(name, { numPartitions: 0 })], true);
  await create("after the try", [topicRequest(name)]);
  await create("once more", [topicRequest(name)]);
  await create("a try of what is there", [topicRequest(name)], true);
  await create("twice in one request", [
    topicRequest(world.name("twice")),
    topicRequest(world.name("twice")),
  ]);
  await create("one good and one bad", [topicRequest(world.name("good")), topicRequest("b a d")]);
  for (const each of ["", ".", "..", "a b", "a/b", "ö", "x".repeat(250)]) {
    await create(`the name ${each.length > 10 ? "of 250 letters" : JSON.stringify(each)}`, [
      topicRequest(each),
    ]);
  }
  await create("a name with a dot", [topicRequest(world.name("dotted.name"))]);
  await create("a name that is the same to metrics", [topicRequest(world.name("dotted_name"))]);
  await create("a name that differs by case", [topicRequest(world.name("Dotted.Name"))]);
  await create("the internal topic", [topicRequest("__consumer_offsets")]);
  await create("an internal name", [topicRequest(world.name("__mine"))]);
  await create("nothing", []);
}

async function growth(world: World): Promise<void> {
  const topic = await world.makeTopic("growing", 2);
  const grow = (step: string, count: number, more: object = {}, name = topic.name) =>
    world.ask(step, "CreatePartitions", { topics: [{ name, count, ...more }], timeoutMs: 10_000, ...more });
  const by = (...brokers: number[][]) => ({ assignments: brokers.map((brokerIds) => ({ brokerIds })) });
  await grow("a try", 3, { validateOnly: true });
  await grow("to three", 3);
  for (const count of [3, 2, 0, -1]) await grow(`to ${count}`, count);
  await grow("a topic that is not there", 3, {}, world.name("nobody"));
  await grow("a topic without a name", 3, {}, "");
  await grow("by hand", 4, by([1]));
  await grow("by hand, too many", 5, by([1], [1]));
  await grow("by hand, too few", 7, by([1]));
  await grow("by hand, none", 5, by());
  await grow("by hand, on no broker", 5, by([]));
  await grow("by hand, on a broker that is not there", 5, by([9]));
  await grow("by hand, on two brokers", 5, by([1, 1]));
  await world.ask("twice in one request", "CreatePartitions", {
    topics: [6, 7].map((count) => ({ name: topic.name, count })),
    timeoutMs: 10_000,
  });
  await world.ask("nothing", "CreatePartitions", { topics: [], timeoutMs: 10_000 });
}

async function deletion(world: World): Promise<void> {
  const remove = (step: string, names: readonly string[]) =>
    world.ask(step, "DeleteTopics", {
      topics: names.map((name) => ({ name })),
      topicNames: [...names],
      timeoutMs: 10_000,
    });
  const topic = await world.makeTopic("doomed");
  await remove("a topic that is not there", [world.name("nobody")]);
  await remove("a topic without a name", [""]);
  await remove("a bad name", ["a b"]);
  await remove("the same twice", [topic.name, topic.name]);
  await remove("a topic", [topic.name]);
  await remove("the same again", [topic.name]);
  await remove("nothing", []);
  if (world.pass === "low") return;
  const other = await world.makeTopic("doomed-by-id");
  const byId = (step: string, ...topics: object[]) =>
    world.ask(step, "DeleteTopics", { topics, timeoutMs: 10_000 });
  await byId("an id that nobody has", { name: null, topicId: UNKNOWN_ID });
  await byId("a name and an id", { name: other.name, topicId: other.topicId });
  await byId("neither", { name: null });
  await byId("an id and its name, apart", { name: null, topicId: other.topicId }, { name: other.name });
  await byId("an id", { name: null, topicId: other.topicId });
}

async function folders(world: World): Promise<void> {
  const { topic } = await world.makeTopic("kept", 2);
  const ask = (step: string, topics: { topic: string; partitions: number[] }[]) =>
    world.ask(step, "DescribeLogDirs", { topics });
  await ask("a partition", [{ topic, partitions: [1] }]);
  await ask("a partition that is not there", [{ topic, partitions: [7] }]);
  await ask("a topic that is not there", [{ topic: world.name("nobody"), partitions: [0] }]);
  await ask("no partition", [{ topic, partitions: [] }]);
  await ask("nothing", []);
}

async function moves(world: World): Promise<void> {
  const { name } = await world.makeTopic("moved", 2);
  const move = (step: string, replicas: number[] | null, topic = name, partitionIndex = 0) =>
    world.ask(step, "AlterPartitionReassignments", {
      topics: [{ name: topic, partitions: [{ partitionIndex, replicas }] }],
    });
  await move("an end of what is not under way", null);
  await move("to a broker that is not there", [9]);
  await move("to no broker", []);
  await move("to one broker twice", [1, 1]);
  await move("a topic that is not there", [1], world.name("nobody"));
  await move("a partition that is not there", [1], name, 7);
  await world.ask("nothing", "AlterPartitionReassignments", { topics: [] });
  const list = (step: string, topic: string, ...partitionIndexes: number[]) =>
    world.ask(step, "ListPartitionReassignments", { topics: [{ name: topic, partitionIndexes }] });
  await list("what moves", name, 0, 1);
  await list("what moves of a topic that is not there", world.name("nobody"), 0);
  await list("what moves of a partition that is not there", name, 7);
  await world.ask("all that moves", "ListPartitionReassignments", { topics: null });
}

export const TOPICS: readonly Scenario[] = [
  { name: "create topics", run: creation },
  { name: "create partitions", run: growth },
  { name: "delete topics", run: deletion },
  { name: "log dirs", run: folders },
  { name: "reassignments", run: moves },
];
