/** What is done to one broker, and to its folder while it does not run. */
import type { BrokerCluster } from "@minikafka/core";
import type { Chance } from "../chance.ts";
import type { ActOf } from "../script/entry.ts";
import { leadAgain, operate } from "./operator.ts";
import type { RunWorld } from "./world.ts";

export function startBroker(world: RunWorld, brokerId: number): void {
  operate(world, (cluster) => cluster.startBroker(brokerId), {
    done: () => world.folders.started(brokerId),
  });
}

/** The broker stops; its folder is copied, becomes an older one, or is lost, unless somebody has started it meanwhile; and it starts again. */
export function swapFolder(
  world: RunWorld,
  { brokerId, how, downMs }: ActOf<"swap_folder">,
  luck: Chance,
): void {
  const { process, timeline } = world;
  operate(world, (cluster) => cluster.stopBroker(brokerId), {
    done: () => {
      const { life } = process;
      changeFolder(world, { brokerId, how }, luck);
      timeline.plan(downMs, () => {
        if (life !== process.life) return;
        startBroker(world, brokerId);
        leadAgain(world);
      });
    },
  });
}

function changeFolder(
  { process: { cluster, disk, isUp }, folders, recorder }: RunWorld,
  { brokerId, how }: Pick<ActOf<"swap_folder">, "brokerId" | "how">,
  luck: Chance,
): void {
  if (cluster === null || !isUp || !isStopped(cluster, brokerId)) return;
  if (how === "copy") {
    folders.take(disk, brokerId, recorder.order);
    return;
  }
  if (!folders.isSpare(cluster, brokerId)) return;
  // The hand that does it is no fault's.
  disk.stopFailing();
  if (how === "lose") {
    folders.lose(disk, brokerId);
    recorder.happened({ kind: "folder_lost", brokerId });
    return;
  }
  const fromOrder = folders.putBack(disk, brokerId, luck);
  if (fromOrder !== null) recorder.happened({ kind: "folder_put_back", brokerId, fromOrder });
}

/** Of a broker that runs nobody changes the folder. */
function isStopped(cluster: BrokerCluster, brokerId: number): boolean {
  const { brokers } = cluster.describeCluster();
  return brokers.some((broker) => broker.brokerId === brokerId && broker.state === "stopped");
}
