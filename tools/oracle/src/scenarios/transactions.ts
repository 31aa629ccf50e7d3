/** InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, TxnOffsetCommit, EndTxn, and what readers see of it. */
import { batch, TRANSACTIONAL } from "../batches.ts";
import type { Topic, World } from "../world.ts";
import { offsetsOf } from "./offsets.ts";
import { contents, produceRequest } from "./produce.ts";
import type { Scenario } from "./scenario.ts";

interface Identity {
  readonly producerId: number;
  readonly producerEpoch: number;
}

const NOBODY: Identity = { producerId: 4_242_424, producerEpoch: 0 };

/** One transactional id, and whoever asks something in its name. */
class Teller {
  readonly world: World;
  readonly transactionalId: string;
  identity: Identity = NOBODY;
  #sequence = 0;

  constructor(world: World, base: string) {
    this.world = world;
    this.transactionalId = world.name(base);
  }

  /** Takes the id and epoch that it is given. */
  async init(step: string, more: object = {}): Promise<void> {
    const request = { transactionalId: this.transactionalId, transactionTimeoutMs: 60_000, ...more };
    const given = await this.world.askUntilReady(step, "InitProducerId", request);
    if (given === null || given.errorCode !== 0) return;
    const { producerId, producerEpoch } = given;
    this.world.aliases.name(
      "producer id",
      producerId,
      `id of ${this.world.aliases.text(this.transactionalId)}`,
    );
    this.identity = { producerId, producerEpoch };
    this.#sequence = 0;
  }

  add(step: string, name: string, partitions = [0], more: object = {}) {
    const { transactionalId, identity } = this;
    const request = { transactionalId, ...identity, topics: [{ name, partitions }], ...more };
    return this.world.askUntilReady(step, "AddPartitionsToTxn", request);
  }

  end(step: string, committed: boolean, more: object = {}) {
    const { transactionalId, identity } = this;
    return this.world.ask(step, "EndTxn", { transactionalId, ...identity, committed, ...more });
  }

  /** One record; the next sequence is its only if it is taken. */
  async produce(step: string, topic: Topic, value: string, more: object = {}, index = 0): Promise<void> {
    const parts = { attributes: TRANSACTIONAL, baseSequence: this.#sequence, ...this.identity, ...more };
    const request = produceRequest(topic.name, batch({ records: [{ value }], ...parts }), {
      transactionalId: this.transactionalId,
      index,
    });
    const said = await this.world.ask(step, "Produce", request);
    if (said?.responses[0]?.partitionResponses[0]?.errorCode === 0) this.#sequence += 1;
  }

  describe(step: string) {
    return this.world.ask(step, "DescribeTransactions", { transactionalIds: [this.transactionalId] });
  }
}

async function ends(topic: Topic, world: World, step: string): Promise<void> {
  for (const [said, isolationLevel] of [
    ["all", 0],
    ["committed", 1],
  ] as const) {
    await contents(world, `${step}: ${said} records`, topic, 0, isolationLevel);
    const partitions = [{ partitionIndex: 0, timestamp: -1 }];
    const request = { isolationLevel, topics: [{ name: topic.name, partitions }] };
    await world.ask(`${step}: the end of ${said} records`, "ListOffsets", request);
  }
}

/** Waits until the markers of the last end are there. */
async function isOver(teller: Teller): Promise<void> {
  await teller.world.until("DescribeTransactions", { transactionalIds: [teller.transactionalId] }, (plain) =>
    /Complete|Empty/.test(JSON.stringify(plain)),
  );
}

async function good(world: World): Promise<void> {
  const topic = await world.makeTopic("ledger", 2);
  const teller = new Teller(world, "teller");
  await teller.init("the first identity");
  await teller.describe("before the first transaction");
  await teller.add("a partition", topic.name);
  await teller.add("the same partition", topic.name);
  await teller.describe("a transaction with a partition");
  await teller.produce("a record", topic, "1");
  await ends(topic, world, "an open transaction");
  await world.ask("who has it open", "DescribeProducers", {
    topics: [{ name: topic.name, partitionIndexes: [0] }],
  });
  await teller.end("a commit", true);
  await isOver(teller);
  await teller.end("the same commit", true);
  await teller.describe("after the commit");
  await ends(topic, world, "after the commit");
  await teller.add("a partition of the second", topic.name);
  await teller.produce("a record of the second", topic, "2");
  await teller.end("an abort", false);
  await isOver(teller);
  await teller.end("the same abort", false);
  await teller.end("a commit behind it", true);
  await ends(topic, world, "after the abort");
  await world.ask("who has written", "DescribeProducers", {
    topics: [{ name: topic.name, partitionIndexes: [0] }],
  });
  await teller.add("a partition of the third", topic.name);
  await teller.produce("a record of the third", topic, "3");
  await teller.init("a second instance");
  await ends(topic, world, "after the second instance came");
  await teller.end("an end of nothing", true);
}

async function oddIdentities(world: World): Promise<void> {
  const unknown = world.name("nobody");
  const init = (step: string, more: object) =>
    world.askUntilReady(step, "InitProducerId", {
      transactionalId: unknown,
      transactionTimeoutMs: 60_000,
      ...more,
    });
  await init("an id without a name", { transactionalId: "" });
  await init("a timeout of 0", { transactionTimeoutMs: 0 });
  await init("a timeout below 0", { transactionTimeoutMs: -1 });
  await init("a timeout that is too long", { transactionTimeoutMs: 99_999_999 });
  await init("nobody's timeout of 0", { transactionalId: null, transactionTimeoutMs: 0 });
  if (world.version("InitProducerId") >= 3) {
    await init("an epoch without an id", { producerEpoch: 3 });
    await init("an id without an epoch", { producerId: 3 });
    await init("an id below -1", { producerId: -5, producerEpoch: 0 });
    await init("nobody's id and epoch", { transactionalId: null, ...NOBODY });
    await init("an identity that nobody was given", { ...NOBODY });
  }
}

async function bad(world: World): Promise<void> {
  await oddIdentities(world);
  const topic = await world.makeTopic("bad-ledger", 2);
  const teller = new Teller(world, "bad-teller");
  const unknown = world.name("nobody");
  await world.ask("a partition for an id that nobody has", "AddPartitionsToTxn", {
    ...{ transactionalId: unknown, ...NOBODY },
    topics: [{ name: topic.name, partitions: [0] }],
  });
  await world.ask("an end of an id that nobody has", "EndTxn", {
    ...{ transactionalId: unknown, ...NOBODY, committed: true },
  });
  await teller.init("an identity");
  const { producerId, producerEpoch } = teller.identity;
  await teller.end("a commit of nothing", true);
  await teller.end("an abort of nothing", false);
  await teller.add("a partition that is not there", topic.name, [7]);
  await teller.add("a topic that is not there", unknown);
  await teller.add("a topic without a name", "");
  await teller.add("one that is there and one that is not", topic.name, [0, 7]);
  await teller.add("another id", topic.name, [0], { producerId: 4_242_424 });
  await teller.add("an epoch that is to come", topic.name, [0], { producerEpoch: producerEpoch + 3 });
  await teller.add("an epoch below 0", topic.name, [0], { producerEpoch: -1 });
  await teller.add("an id without a name", topic.name, [0], { transactionalId: "" });
  await teller.add("nothing", topic.name, []);
  await teller.produce("a record where no partition was added", topic, "1", {}, 1);
  await teller.end("what comes of it", false);
  await isOver(teller);
  await teller.add("a partition", topic.name);
  await teller.produce("another id's record", topic, "1", { producerId: 4_242_424 });
  await teller.produce("a record of an epoch that is to come", topic, "1", {
    producerEpoch: producerEpoch + 3,
  });
  await teller.produce("a good record", topic, "1");
  await teller.produce("a gap", topic, "1", { baseSequence: 7 });
  await teller.end("an end of another id", true, { producerId: 4_242_424 });
  await teller.end("an end of an epoch that is to come", true, { producerEpoch: producerEpoch + 3 });
  await teller.end("the end", true);
  if (world.version("InitProducerId") >= 3) {
    await teller.init("an identity to go on with", { producerId, producerEpoch });
    await teller.init("the older one again", { producerId, producerEpoch });
    await teller.init("one that is to come", { producerId, producerEpoch: 99 });
    await teller.init("another id to go on with", { producerId: 4_242_424, producerEpoch: 0 });
  }
  await teller.init("another instance");
  const old = { producerId, producerEpoch };
  await teller.add("a partition of the older instance", topic.name, [0], old);
  await teller.end("an end of the older instance", true, old);
  await teller.add("a partition of the newer instance", topic.name);
  await teller.produce("a record of the newer instance", topic, "1");
  await teller.produce("a record of the older instance", topic, "1", old);
  await teller.end("an end of the newer instance", true);
}

async function withOffsets(world: World): Promise<void> {
  const { name } = await world.makeTopic("source", 2);
  const teller = new Teller(world, "offset-teller");
  const groupId = world.name("offset-group");
  await teller.init("an identity");
  const ask = (step: string, more: object = {}, partition: object = {}) =>
    world.ask(step, "TxnOffsetCommit", {
      ...{ transactionalId: teller.transactionalId, groupId, ...teller.identity },
      topics: [
        {
          name,
          partitions: [{ partitionIndex: 0, committedOffset: 5, committedMetadata: "n", ...partition }],
        },
      ],
      ...more,
    });
  const addOffsets = (step: string, more: object = {}) =>
    world.askUntilReady(step, "AddOffsetsToTxn", {
      ...{ transactionalId: teller.transactionalId, groupId, ...teller.identity },
      ...more,
    });
  const fetch = (step: string, requireStable = false) =>
    world.ask(step, "OffsetFetch", {
      ...offsetsOf(groupId, [{ name, partitionIndexes: [0, 1] }]),
      requireStable,
    });
  await addOffsets("a group for an id that nobody has", { transactionalId: world.name("nobody"), ...NOBODY });
  await addOffsets("a group of another id", { producerId: 4_242_424 });
  await addOffsets("a group", {});
  await ask("offsets");
  await fetch("what is seen before the end");
  await fetch("what is stable before the end", true);
  await ask("a partition that is not there", {}, { partitionIndex: 9 });
  await ask("a note that is too long", {}, { committedMetadata: "n".repeat(4097) });
  await ask("offsets of an id that nobody was given", NOBODY);
  await ask("offsets of an epoch that is to come", { producerEpoch: 99 });
  await ask("offsets of a group without a name", { groupId: "" });
  if (world.version("TxnOffsetCommit") >= 3) {
    await ask("a member that is none", { memberId: "nobody", generationId: 1 });
    await ask("a generation without a member", { generationId: 1 });
    await ask("an instance that is none", { groupInstanceId: "i", memberId: "m", generationId: 1 });
  }
  await teller.describe("with offsets alone");
  await teller.end("the commit", true);
  await isOver(teller);
  await world.until("OffsetFetch", offsetsOf(groupId, [{ name, partitionIndexes: [0] }]), (plain) =>
    JSON.stringify(plain).includes('"committedOffset":5'),
  );
  await fetch("what is seen after it");
  await addOffsets("a group of the second", {});
  await ask("offsets of the second", {}, { committedOffset: 9 });
  await teller.end("the abort", false);
  await isOver(teller);
  await fetch("what is seen after the abort");
  await addOffsets("a group without a name", { groupId: "" });
}

async function listing(world: World): Promise<void> {
  const teller = new Teller(world, "listed-teller");
  const { name } = await world.makeTopic("listed-ledger");
  await teller.init("an identity");
  const { producerId } = teller.identity;
  const list = async (
    step: string,
    stateFilters: string[],
    producerIdFilters: number[] = [],
    durationFilter = -1,
  ) => {
    const outcome = await world.quietly("ListTransactions", {
      stateFilters,
      producerIdFilters,
      durationFilter,
    });
    if (outcome.kind !== "answer") return world.note(step, "ListTransactions", outcome.kind);
    const { errorCode, unknownStateFilters, transactionStates } = outcome.response;
    const own = transactionStates.filter(({ transactionalId }) => transactionalId === teller.transactionalId);
    const states = own.map(({ transactionState }) => transactionState);
    world.note(step, "ListTransactions", { errorCode, unknownStateFilters, states });
  };
  await list("all", []);
  await list("of a state", ["Empty"]);
  await list("of another state", ["Ongoing"]);
  await list("of a state that nobody knows", ["Magic", "Empty"]);
  await list("of a producer", [], [producerId]);
  await list("of another producer", [], [4_242_424]);
  await teller.add("a partition", name);
  await list("when it is open", ["Ongoing"]);
  await list("when it has been open for long", [], [], 60_000);
  await list("when it has been open for no time", [], [], 0);
  await world.ask("one that nobody has", "DescribeTransactions", {
    transactionalIds: [world.name("nobody")],
  });
  await world.ask("one without a name", "DescribeTransactions", { transactionalIds: [""] });
  await world.ask("none", "DescribeTransactions", { transactionalIds: [] });
  await teller.end("the end", false);
}

export const TRANSACTIONS: readonly Scenario[] = [
  { name: "transactions", run: good },
  { name: "transactions that are refused", run: bad },
  { name: "transactions with offsets", run: withOffsets },
  { name: "list transactions", run: listing },
];
