/** What an operator does to a cluster: calls that go past the network, and refusals that are no surprise. */
import { type BrokerCluster, BrokerError, CrashSignal } from "@minikafka/core";
import type { RunWorld } from "./world.ts";

/** Does something to the cluster that serves, if one does. What the world refuses is refused; anything else is a violation. */
export function operate<Result>(
  { process, witness }: Pick<RunWorld, "process" | "witness">,
  act: (cluster: BrokerCluster) => Promise<Result> | Result,
  {
    done = () => {},
    refused = () => {},
  }: { done?: (result: Result) => void; refused?: (code: string) => void } = {},
): void {
  const { cluster, life } = process;
  if (cluster === null) {
    refused("NOT_CONNECTED");
    return;
  }
  const isOver = () => life !== process.life || process.isDying;
  const failed = (problem: unknown) => {
    if (problem instanceof CrashSignal || isOver()) return;
    if (problem instanceof BrokerError) refused(problem.code);
    else witness.broken(problem);
  };
  try {
    const result = act(cluster);
    if (result instanceof Promise)
      result.then((value) => {
        if (!isOver()) done(value);
      }, failed);
    else done(result);
  } catch (problem) {
    failed(problem);
  }
}

/** Whatever has no leader though somebody is in sync gets one: nothing is elected by itself. */
export function leadAgain(world: RunWorld): void {
  operate(world, async (cluster) => {
    for (const { topic } of cluster.listTopics())
      for (const { partition, leaderId, inSyncReplicas } of cluster.metadata(topic).partitions) {
        if (leaderId !== null) continue;
        const running = cluster.describeCluster().brokers.filter(({ state }) => state === "running");
        const candidate = inSyncReplicas.find((id) => running.some(({ brokerId }) => brokerId === id));
        if (candidate === undefined) continue;
        await cluster.promote({ topic, partition }, candidate).catch((problem: unknown) => {
          if (!(problem instanceof BrokerError)) throw problem;
        });
      }
  });
}
