/** Who gets which producer id and epoch, through crashes at every change of the disk and refusals at every one. */
import { encodeBatch, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { CrashSignal } from "../src/env/fault-order.ts";
import { CHECKPOINT_STEPS } from "../src/env/fault-point.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { BrokerError } from "../src/errors.ts";
import { sealEnvelope } from "../src/log/files/checkpoint-envelope.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import { FOLDER, openCluster } from "./cluster-world.ts";
import { seedFromEnvironment } from "./log-world.ts";
import { memoryWorld, rejection, type World, worldOn } from "./world.ts";

const FILE = `${FOLDER}/producer-ids.json`;
const EPOCH_MAX = 32_767;

function refusal(act: () => unknown): BrokerError {
  try {
    act();
  } catch (problem) {
    if (problem instanceof BrokerError) return problem;
    throw problem;
  }
  throw new Error("nothing was refused");
}

/** Puts a payload where a cluster's ids stand. */
function writeIds(disk: MemoryDisk, payload: unknown): void {
  const file = disk.openFile(FILE);
  file.truncate(0);
  file.writeAt(0, sealEnvelope(1, payload));
  file.syncNow();
  file.close();
}

async function reopened(world: World, cluster: BrokerCluster): Promise<BrokerCluster> {
  await cluster.crash();
  world.disk.crash({ mode: "lost" });
  return openCluster(worldOn(world.disk));
}

test("a producer of no name gets an id that nobody had, also after a restart", async () => {
  const world = memoryWorld();
  const first = await openCluster(world);
  const ids = [first.initProducer({}), first.initProducer({}), first.initProducer({})];
  expect(ids).toEqual([0, 1, 2].map((producerId) => ({ producerId, producerEpoch: 0 })));
  const second = await reopened(world, first);
  const { producerId, producerEpoch } = second.initProducer({});
  expect(producerId).toBeGreaterThan(2);
  expect(producerEpoch).toBe(0);
});

test("a thousand ids cost one write", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  cluster.initProducer({});
  const changes = world.disk.changeCount;
  for (let n = 1; n < 1000; n++) cluster.initProducer({});
  expect(world.disk.changeCount).toBe(changes);
  expect(cluster.initProducer({})).toEqual({ producerId: 1000, producerEpoch: 0 });
  expect(world.disk.changeCount).toBeGreaterThan(changes);
});

test("a name keeps its id, and each instance has the next epoch, also after a restart", async () => {
  const world = memoryWorld();
  const first = await openCluster(world);
  const { producerId } = first.initProducer({ name: "billing" });
  expect(first.initProducer({ name: "billing" })).toEqual({ producerId, producerEpoch: 1 });
  expect(first.initProducer({ name: "mail" }).producerId).not.toBe(producerId);
  const second = await reopened(world, first);
  expect(second.initProducer({ name: "billing" })).toEqual({ producerId, producerEpoch: 2 });
  expect(world.events.of("producer_initialized").at(-1)).toMatchObject({ name: "mail", producerEpoch: 0 });
});

test("the holder of an identity gets the next epoch, and the same again when its answer was lost", async () => {
  const cluster = await openCluster(memoryWorld());
  const name = "billing";
  const first = cluster.initProducer({ name });
  const second = cluster.initProducer({ name, current: first });
  expect(second).toEqual({ ...first, producerEpoch: 1 });
  expect(cluster.initProducer({ name, current: first })).toEqual(second);
  expect(cluster.initProducer({ name, current: second })).toEqual({ ...first, producerEpoch: 2 });
  expect(refusal(() => cluster.initProducer({ name, current: first }))).toMatchObject({
    code: "PRODUCER_FENCED",
  });
});

test("whom a new instance has overtaken gets no new epoch", async () => {
  const cluster = await openCluster(memoryWorld());
  const old = cluster.initProducer({ name: "billing" });
  const present = cluster.initProducer({ name: "billing" });
  expect(refusal(() => cluster.initProducer({ name: "billing", current: old }))).toMatchObject({
    code: "PRODUCER_FENCED",
    message: `producer id ${old.producerId} of epoch 0 is not the newest instance of "billing"; that has id ${old.producerId} and epoch 1`,
    details: { producer_id: old.producerId, producer_epoch: 0, current_epoch: 1 },
  });
  expect(cluster.initProducer({ name: "billing", current: present }).producerEpoch).toBe(2);
});

test("a producer of no name counts its epochs on its own id, and gets another when they are used up", async () => {
  const cluster = await openCluster(memoryWorld());
  const { producerId } = cluster.initProducer({});
  expect(cluster.initProducer({ current: { producerId, producerEpoch: 0 } })).toEqual({
    producerId,
    producerEpoch: 1,
  });
  const last = { producerId, producerEpoch: EPOCH_MAX };
  expect(cluster.initProducer({ current: { producerId, producerEpoch: EPOCH_MAX - 1 } })).toEqual(last);
  expect(cluster.initProducer({ current: last })).toEqual({ producerId: producerId + 1, producerEpoch: 0 });
});

test("a producer of no name that gives back an older epoch gets none, and the same again for the one before the newest", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  const first = cluster.initProducer({});
  const second = cluster.initProducer({ current: first });
  expect(cluster.initProducer({ current: first })).toEqual(second);
  const third = cluster.initProducer({ current: second });
  expect(cluster.initProducer({ current: second })).toEqual(third);
  expect(refusal(() => cluster.initProducer({ current: first }))).toMatchObject({
    code: "PRODUCER_FENCED",
    details: { producer_id: first.producerId, producer_epoch: 0, current_epoch: 2 },
  });
  // After a restart its holder is believed.
  const again = await reopened(world, cluster);
  expect(again.initProducer({ current: third })).toEqual({ ...first, producerEpoch: 3 });
});

test("what an epoch of a producer without a name has sent comes too late once it has asked for the next", async () => {
  const cluster = await openCluster(memoryWorld());
  cluster.createTopic({ topic: "orders", partitions: 1 });
  const old = cluster.initProducer({});
  const present = cluster.initProducer({ current: old });
  expect(await rejection(append(cluster, old))).toMatchObject({
    code: "PRODUCER_FENCED",
    details: { producer_epoch: 0, current_epoch: 1 },
  });
  await append(cluster, present);
});

test("a name whose epochs are used up gets another id, and the old one is fenced for ever", async () => {
  const world = memoryWorld();
  await (await openCluster(world)).close();
  const old: ProducerIdentity = { producerId: 5, producerEpoch: EPOCH_MAX };
  const named = {
    name: "billing",
    producer_id: 5,
    producer_epoch: EPOCH_MAX,
    bumped_from: null,
    retired_ids: [3],
  };
  writeIds(world.disk, { next_producer_id: 10, named: [named] });
  const cluster = await openCluster(world);
  expect(cluster.initProducer({ name: "billing" })).toEqual({ producerId: 10, producerEpoch: 0 });
  cluster.createTopic({ topic: "orders", partitions: 1 });
  for (const life of ["first", "second"]) {
    const again = life === "first" ? cluster : await reopened(world, cluster);
    for (const producerId of [5, 3]) {
      const written = append(again, { ...old, producerId });
      expect(await rejection(written), `${producerId}`).toMatchObject({ code: "PRODUCER_FENCED" });
    }
    await append(again, { producerId: 10, producerEpoch: 0 }, life === "first" ? 0 : 1);
  }
});

/** Writes one record as a producer of this identity. */
function append(cluster: BrokerCluster, { producerId, producerEpoch }: ProducerIdentity, baseSequence = 0) {
  const record = { key: null, value: Buffer.from(`${baseSequence}`), timestampMs: 0, headers: [] };
  const frame = encodeBatch({ records: [record], producerId, producerEpoch, baseSequence });
  expect(readBatchHeader(frame).baseSequence).toBe(baseSequence);
  return cluster.appendBatch({ topic: "orders", partition: 0 }, frame, { acks: "all" });
}

test("an old instance of a name is fenced on every partition, also where the new one has never written", async () => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  const old = cluster.initProducer({ name: "billing" });
  cluster.createTopic({ topic: "orders", partitions: 1 });
  await append(cluster, old);
  const present = cluster.initProducer({ name: "billing" });
  const fencing = { code: "PRODUCER_FENCED", details: { current_epoch: 1 } };
  expect(await rejection(append(cluster, old, 1))).toMatchObject(fencing);
  const again = await reopened(world, cluster);
  expect(await rejection(append(again, old, 1))).toMatchObject(fencing);
  again.deleteTopic("orders");
  again.createTopic({ topic: "orders", partitions: 1 });
  expect(await rejection(append(again, old, 1))).toMatchObject(fencing);
  await append(again, present);
});

test("an identity that nobody was given is refused, to write with and to go on from", async () => {
  const cluster = await openCluster(memoryWorld());
  cluster.createTopic({ topic: "orders", partitions: 1 });
  const { producerId } = cluster.initProducer({ name: "billing" });
  for (const forged of [
    { producerId: producerId + 1, producerEpoch: 0 },
    { producerId, producerEpoch: 7 },
  ])
    expect(await rejection(append(cluster, forged))).toMatchObject({ code: "UNKNOWN_PRODUCER_ID" });
  const current = { producerId: producerId + 1, producerEpoch: 0 };
  expect(refusal(() => cluster.initProducer({ current }))).toMatchObject({ code: "UNKNOWN_PRODUCER_ID" });
  expect(refusal(() => cluster.initProducer({ current: { producerId, producerEpoch: 0 } }))).toMatchObject({
    code: "INVALID_REQUEST",
    message: `producer_id ${producerId} belongs to the producer "billing"; expected its name beside it`,
  });
});

test("a name is 1 to 249 characters", async () => {
  const cluster = await openCluster(memoryWorld());
  cluster.initProducer({ name: "n".repeat(249) });
  for (const name of ["", "n".repeat(250)])
    expect(refusal(() => cluster.initProducer({ name }))).toMatchObject({ code: "INVALID_REQUEST" });
});

/** Names and unnamed ones by chance, and what was answered. */
class Askers {
  readonly #random: SeededRandom;
  readonly given: (ProducerIdentity & { readonly name: string | null })[] = [];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  ask(cluster: BrokerCluster): void {
    const name = [null, "billing", "mail"][this.#random.below(3)] ?? null;
    const identity = cluster.initProducer(name === null ? {} : { name });
    this.given.push({ ...identity, name });
  }

  /** No identity was given twice, no id to two, and the epochs of a name rise. */
  check(): void {
    const owners = new Map<number, string>();
    const epochs = new Map<number, number>();
    for (const [n, { name, producerId, producerEpoch }] of this.given.entries()) {
      const owner = name ?? `unnamed ${n}`;
      expect(owners.get(producerId) ?? owner).toBe(owner);
      owners.set(producerId, owner);
      expect(producerEpoch).toBeGreaterThan(epochs.get(producerId) ?? -1);
      epochs.set(producerId, producerEpoch);
    }
  }
}

test("whatever instant the process or the power dies at, no identity is given twice", async () => {
  const seed = seedFromEnvironment(1);
  const world = memoryWorld();
  const cluster = await openCluster(world);
  const askers = new Askers(seed);
  const instants: { disk: MemoryDisk; given: number }[] = [];
  const note = () => instants.push({ disk: world.disk.clone(), given: askers.given.length });
  const stop = world.disk.beforeChange(note);
  for (let n = 0; n < 12; n++) askers.ask(cluster);
  stop();
  note();
  expect(instants.length).toBeGreaterThan(30);
  const random = new SeededRandom(seed);
  for (const { disk, given } of instants) {
    for (const mode of ["kept", "lost", "torn", "scattered"] as const) {
      const left = disk.clone();
      left.crash({ mode, random } as Crash);
      const again = await openCluster(worldOn(left));
      const next = new Askers(seed + 1);
      next.given.push(...askers.given.slice(0, given));
      for (let n = 0; n < 6; n++) next.ask(again);
      next.check();
      await again.crash();
    }
  }
});

test.each(CHECKPOINT_STEPS)("an identity is given by nobody who dies at %s of the file", async (step) => {
  const world = memoryWorld();
  const cluster = await openCluster(world);
  const first = cluster.initProducer({ name: "billing" });
  const rule = world.faults.arm({ point: `producer_ids.${step}`, action: "crash" });
  expect(() => cluster.initProducer({ name: "billing" })).toThrow(CrashSignal);
  rule.assertFired();
  const { producerId, producerEpoch } = (await reopened(world, cluster)).initProducer({ name: "billing" });
  expect(producerId).toBe(first.producerId);
  expect([1, 2]).toContain(producerEpoch);
});

test("a disk that refuses at any step gives no identity, and none is given twice afterwards", async () => {
  const measured = memoryWorld();
  const before = await openCluster(measured);
  const changes = measured.disk.changeCount;
  before.initProducer({ name: "billing" });
  const steps = measured.disk.changeCount - changes;
  expect(steps).toBeGreaterThan(3);
  for (const init of [{}, { name: "billing" }]) {
    for (let nth = 1; nth <= steps; nth++) {
      const world = memoryWorld();
      const cluster = await openCluster(world);
      world.disk.fail({ operation: "change", code: "EIO", times: { nth } });
      const ask = () => cluster.initProducer(init);
      expect(refusal(ask), `change ${nth}`).toMatchObject({ code: "STORAGE_ERROR" });
      // The last step is the folder's sync: nobody knows what it left, so that nothing more is taken until a restart.
      const isSure = nth < steps;
      const given = isSure ? [ask(), ask()] : [];
      if (!isSure) expect(refusal(ask)).toMatchObject({ code: "BROKER_FAILED" });
      given.push((await reopened(world, cluster)).initProducer(init));
      expect(new Set(given.map((each) => JSON.stringify(each))).size, `change ${nth}`).toBe(given.length);
    }
  }
});

test("ids and epochs that stand in a log count as given, also when an older file was put back", async () => {
  const world = memoryWorld();
  const first = await openCluster(world);
  first.createTopic({ topic: "orders", partitions: 1 });
  const named = first.initProducer({ name: "payments" });
  await first.close();
  const older = Buffer.from(world.disk.files().get(FILE) ?? []);

  const second = await openCluster(worldOn(world.disk));
  const again = second.initProducer({ name: "payments" });
  expect(again).toEqual({ producerId: named.producerId, producerEpoch: named.producerEpoch + 1 });
  const unnamed = second.initProducer({});
  const write = (cluster: BrokerCluster, producer: ProducerIdentity) => {
    const record = { key: null, value: Buffer.from("paid"), timestampMs: 0, headers: [] };
    const frame = encodeBatch({ ...producer, baseSequence: 0, records: [record] });
    return cluster.appendBatch({ topic: "orders", partition: 0 }, frame, { acks: "all" });
  };
  await write(second, again);
  await write(second, unnamed);
  await second.close();
  const file = world.disk.openFile(FILE);
  file.truncate(0);
  file.writeAt(0, older);
  file.close();

  const restored = worldOn(world.disk);
  const third = await openCluster(restored);
  expect(restored.events.of("producer_ids_raised")).toMatchObject([
    { to: unnamed.producerId + 1, path: FILE },
  ]);
  const next = [third.initProducer({ name: "payments" }), third.initProducer({})];
  expect(next[0]).toEqual({ producerId: again.producerId, producerEpoch: again.producerEpoch + 1 });
  expect(next[1]?.producerId).toBeGreaterThan(unnamed.producerId);
  for (const producer of next) expect(await write(third, producer)).toMatchObject({ duplicate: false });
});
