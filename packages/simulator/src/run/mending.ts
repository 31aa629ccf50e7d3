/** What an operator does until everything serves again: brokers start, partitions get leaders, replicas come back in. */
import {
  type BrokerCluster,
  BrokerError,
  type ReplicaDescription,
  type TopicPartition,
} from "@minikafka/core";
import { promoteTo } from "./leader-acts.ts";
import { operate } from "./operator.ts";
import type { RunWorld } from "./world.ts";

export class Mending {
  readonly #world: RunWorld;
  #isUnderWay = false;
  #rounds = 0;

  constructor(world: RunWorld) {
    this.#world = world;
  }

  /** One round, unless the one before is still under way. */
  round(): void {
    const { process } = this.#world;
    const { life } = process;
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    const isOver = () => {
      this.#isUnderWay = false;
    };
    process.onNextEnd(isOver);
    operate(this.#world, (cluster) => this.#mend(cluster), {
      done: isOver,
      // Where nobody knows what a file of the cluster says, only a restart of the process helps.
      refused: () => {
        isOver();
        if (life === process.life) process.close(1);
      },
    });
  }

  async #mend(cluster: BrokerCluster): Promise<void> {
    this.#rounds++;
    for (const { brokerId, state, offlinePartitions } of cluster.describeCluster().brokers) {
      // What could not be opened may be by now; what is lost is fetched anew.
      const isHalf = offlinePartitions > 0 && this.#rounds % 3 === 1;
      if (state === "running" && !isHalf) continue;
      await cluster.stopBroker(brokerId);
      await cluster.startBroker(brokerId);
      this.#world.folders.started(brokerId);
    }
    for (const { topic, partitions } of cluster.listTopics())
      for (let partition = 0; partition < partitions; partition++)
        await this.#mendPartition(cluster, { topic, partition });
  }

  async #mendPartition(cluster: BrokerCluster, place: TopicPartition): Promise<void> {
    const { leaderId, replicas } = cluster.describePartition(place);
    const isOnline = (id: number | null) => replicas.some((each) => each.brokerId === id && each.isOnline);
    if (!isOnline(leaderId)) {
      const inSync = replicas.filter((each) => each.isInSync);
      // Where the last one in sync has come back with less than it had promised, only an operator's choice gives a leader again (KIP-966).
      const candidate = inSync.length === 0 ? longestOf(replicas) : inSync.find((each) => each.isOnline);
      if (candidate === undefined) return;
      const chosen = { brokerId: candidate.brokerId, unclean: inSync.length === 0 };
      await unlessRefused(promoteTo(this.#world, cluster, place, chosen));
    }
    for (const { brokerId, isInSync, isOnline } of cluster.describePartition(place).replicas)
      if (!isInSync || !isOnline) await unlessRefused(cluster.rejoin(place, brokerId));
  }
}

/** The one to choose when all can be compared. */
function longestOf(replicas: readonly ReplicaDescription[]): ReplicaDescription | undefined {
  if (replicas.some((each) => !each.isOnline)) return undefined;
  const endOf = ({ logEndOffset }: ReplicaDescription) => logEndOffset ?? 0;
  return replicas.toSorted((one, other) => endOf(other) - endOf(one))[0];
}

/** There is another round. */
async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((problem: unknown) => {
    if (!(problem instanceof BrokerError)) throw problem;
  });
}
