/** The parts of one run, put together as its shape says. */
import { Chance } from "../chance.ts";
import type { Client, ClientWorld } from "../clients/client.ts";
import { Consumer } from "../clients/consumer.ts";
import { Copier } from "../clients/copier.ts";
import { IdempotentProducer } from "../clients/idempotent-producer.ts";
import { PlainProducer } from "../clients/plain-producer.ts";
import { Reader } from "../clients/reader.ts";
import { Writer } from "../clients/writer.ts";
import { Recorder } from "../history/recorder.ts";
import type { NetworkParts } from "../network/connection.ts";
import type { ClientShape, Shape } from "../shape/shape.ts";
import { Folders } from "../world/folders.ts";
import { Meantime } from "../world/meanwhile.ts";
import { Occasions } from "../world/occasions.ts";
import { SimProcess } from "../world/process.ts";
import { SimClock } from "../world/sim-clock.ts";
import { Timeline } from "../world/timeline.ts";
import { Topics } from "../world/topics.ts";
import { Witness } from "../world/witness.ts";

const FOLDER = "/data";

export interface RunWorld {
  readonly seed: number;
  readonly shape: Shape;
  readonly brokerIds: readonly number[];
  readonly timeline: Timeline;
  readonly clock: SimClock;
  readonly recorder: Recorder;
  readonly witness: Witness;
  readonly process: SimProcess;
  readonly topics: Topics;
  readonly network: Mutable<NetworkParts>;
  /** By the name that the shape gives them. */
  readonly clients: Map<string, Client>;
  readonly clientWorld: ClientWorld;
  readonly meanwhile: Meantime;
  readonly occasions: Occasions;
  readonly folders: Folders;
}

type Mutable<Parts> = { -readonly [Key in keyof Parts]: Parts[Key] };

export function makeWorld(seed: number, shape: Shape, { isHashed = false } = {}): RunWorld {
  const timeline = new Timeline();
  const clock = new SimClock(timeline);
  const recorder = new Recorder(() => timeline.nowMs);
  const witness = new Witness(recorder, { isHashed });
  const meanwhile = new Meantime();
  witness.listen(meanwhile.traced);
  const occasions = new Occasions();
  witness.listen(occasions.traced);
  const brokerIds = Array.from({ length: shape.brokers }, (_, index) => index + 1);
  const config = { ...shape.config, dataFolder: FOLDER, brokerIds };
  const chance = Chance.of(seed, "kernel");
  const process = new SimProcess({ config, timeline, clock, recorder, witness, chance, meanwhile });
  const topics = new Topics();
  const network = {
    timeline,
    process,
    broken: witness.broken,
    lateUntilMs: 0,
    atWork: new Set<never>(),
    ...shape.network,
  };
  const clientWorld = { timeline, recorder, network, topics, witness, nowMs: () => clock.nowMs() };
  const clients = new Map(
    shape.clients.map((client) => [client.name, makeClient(client, clientWorld, seed)]),
  );
  return {
    seed,
    shape,
    brokerIds,
    timeline,
    clock,
    recorder,
    witness,
    process,
    topics,
    network,
    clients,
    clientWorld,
    meanwhile,
    occasions,
    folders: new Folders(FOLDER),
  };
}

/** One that has died has a successor, which knows nothing of what it did. */
export function replaceClient(world: RunWorld, name: string): void {
  const { clients, clientWorld, shape, seed } = world;
  const old = clients.get(name);
  const own = shape.clients.find((client) => client.name === name);
  if (old === undefined || own === undefined) return;
  const isMember = old instanceof Consumer || old instanceof Copier;
  if (isMember && old.membership.owned.size > 0)
    world.meanwhile.reach("a member vanished with partitions of its own");
  old.die();
  const lives = Number(old.name.split("'")[1] ?? 1) + 1;
  clients.set(name, makeClient({ ...own, name: `${name}'${lives}` }, clientWorld, seed));
}

function makeClient(shape: ClientShape, world: ClientWorld, seed: number): Client {
  const { name } = shape;
  const luck = Chance.of(seed, name);
  switch (shape.kind) {
    case "reader":
      return new Reader(name, world, luck, shape.isolation);
    case "writer":
      return new Writer(name, world, luck, shape);
    case "consumer":
      return new Consumer(name, world, luck, shape.membership, shape.isolation);
    case "copier":
      return new Copier(name, world, luck, shape);
    case "producer":
      return shape.isIdempotent
        ? new IdempotentProducer(name, world, luck, shape)
        : new PlainProducer(name, world, luck, shape.valueBytes);
  }
}

/** Everything that can run now has run: no promise is left that could go on without time, a message or the disk. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
