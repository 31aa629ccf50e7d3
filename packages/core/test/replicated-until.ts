/** Waiting for what waits for followers, in a world in which nothing happens by itself. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";

/** Copies, round after round, until `work` is done: everything, or those of `topics` that there are. */
export async function replicatedUntil<Result>(
  cluster: BrokerCluster,
  work: Promise<Result>,
  { topics }: { readonly topics?: readonly string[] } = {},
): Promise<Result> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  // It may fail before anybody looks.
  done.catch(() => {});
  while (!isDone) {
    if (topics === undefined) await cluster.replicateOnce();
    for (const topic of topics ?? []) if (cluster.hasTopic(topic)) await cluster.replicateOnce({ topic });
    await new Promise(setImmediate);
  }
  return done;
}
