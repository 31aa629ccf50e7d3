/** A replicated partition, and brokers' folders of it that are put back from older copies. */

import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { type ClusterConfig, ORIGINAL_DIALS } from "../src/cluster/config.ts";
import { copyOfBroker, type FolderCopy, restoreBroker } from "./folder-copy.ts";
import { openReplicated } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

/** How the folder is put back: while the others run on, over a clean end of the process, or after it was killed. */
export const WAYS = ["live", "reopened", "killed"] as const;
export type Way = (typeof WAYS)[number];

const PROFILES: Record<string, Partial<ClusterConfig>> = { kafka: {}, original: ORIGINAL_DIALS };
export const CASES = Object.keys(PROFILES).flatMap((profile) => WAYS.map((way) => [profile, way] as const));

export interface Scene {
  readonly world: World;
  readonly config: Partial<ClusterConfig>;
  readonly cluster: BrokerCluster;
}

export async function openScene(profile: string): Promise<Scene> {
  const world = memoryWorld();
  const config = PROFILES[profile] ?? {};
  return { world, config, cluster: await openReplicated(world, { config }) };
}

export async function rounds(cluster: BrokerCluster, count = 3): Promise<void> {
  for (let round = 0; round < count; round++) await cluster.replicateOnce();
}

/** A copy of a broker's folder, taken while the broker was stopped cleanly. */
export async function copied({ cluster, world }: Scene, brokerId: number): Promise<FolderCopy> {
  await cluster.stopBroker(brokerId);
  return copyOfBroker(world.disk, brokerId);
}

/** The cluster with `copies` in the places of the brokers' folders. */
export async function putBack(
  { cluster, world, config }: Scene,
  copies: ReadonlyMap<number, FolderCopy>,
  way: Way,
): Promise<BrokerCluster> {
  const restore = () => {
    for (const [brokerId, copy] of copies) restoreBroker(world.disk, brokerId, copy);
  };
  if (way === "live") {
    for (const brokerId of copies.keys()) await cluster.stopBroker(brokerId);
    restore();
    for (const brokerId of copies.keys()) await cluster.startBroker(brokerId);
    return cluster;
  }
  if (way === "reopened") await cluster.close();
  else {
    await cluster.crash();
    world.disk.crash({ mode: "kept" });
  }
  restore();
  return openReplicated(world, { config });
}
