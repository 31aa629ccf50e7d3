/** A group lives, and the world ends at every instant of that: for groups of both kinds. */
import { expect } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import { crashesOf } from "./crash-instants.ts";
import { openGroups } from "./group-world.ts";
import { memoryWorld, type World, worldOn } from "./world.ts";

/** Says of the group what is to be compared, with `@` before its generation. */
export type GroupState = (cluster: BrokerCluster) => Promise<string>;

export interface LifeInstant {
  readonly disk: MemoryDisk;
  /** Which change of the disk would have come next. */
  readonly before: string;
  /** What the group was said to be last, and what it may have become since. */
  readonly states: readonly string[];
}

/** From when there is no group. `states`: what `act` makes of it, one after another. */
export type LifeStep = (act: () => Promise<unknown>, ...states: string[]) => Promise<void>;

/** Every instant of a life. */
export async function lived(
  stateIn: GroupState,
  live: (cluster: BrokerCluster, step: LifeStep) => Promise<void>,
): Promise<LifeInstant[]> {
  const world = memoryWorld();
  const { disk } = world;
  const cluster = await openGroups(world);
  const instants: LifeInstant[] = [];
  let states = ["UNKNOWN_GROUP"];
  const note = (before: string) => instants.push({ disk: disk.clone(), before, states });
  disk.beforeChange(({ kind, path }) => void note(`${kind} of ${path}`));
  await live(cluster, async (act, ...after) => {
    states = [...states.slice(-1), ...after];
    await act();
    states = states.slice(-1);
    expect(await stateIn(cluster)).toBe(states[0]);
  });
  await cluster.close();
  note("the end");
  return instants;
}

export interface AfterCrash {
  readonly world: World;
  readonly cluster: BrokerCluster;
  /** Of the group as it was found; 0 for none. */
  readonly generation: number;
  readonly where: string;
}

/** What each kind of crash leaves of each instant is opened, is one of the states that it may be, and goes on as `goOn` does. */
export async function afterEachCrash(
  instants: readonly LifeInstant[],
  stateIn: GroupState,
  goOn: (after: AfterCrash) => Promise<void>,
): Promise<void> {
  for (const [seed, { disk, before, states }] of instants.entries()) {
    for (const crash of crashesOf(new SeededRandom(seed))) {
      const copy = disk.clone();
      copy.crash(crash);
      const world = worldOn(copy);
      const cluster = await openGroups(world);
      const where = `after a crash (${crash.mode}) before ${before}`;
      const found = await stateIn(cluster);
      expect(states, where).toContain(found);
      const [, generation = "0"] = /@(\d+)/.exec(found) ?? [];
      await goOn({ world, cluster, generation: Number(generation), where });
      await cluster.crash();
    }
  }
}
