/** Waiting for what waits for followers, in a world in which nothing happens by itself. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";

/** Copies, round after round, until `work` is done. */
export async function replicatedUntil<Result>(
  cluster: BrokerCluster,
  work: Promise<Result>,
): Promise<Result> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  // It may fail before anybody looks.
  done.catch(() => {});
  while (!isDone) {
    await cluster.replicateOnce();
    await new Promise(setImmediate);
  }
  return done;
}
