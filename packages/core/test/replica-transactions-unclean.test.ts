/** What readers of committed records see where the high watermark goes back, as unclean promotions leave it. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { committedValues, end, replicated, write } from "./replica-transactions-world.ts";
import { ORDERS, openReplicated, send } from "./replica-world.ts";
import { memoryWorld } from "./world.ts";

const stableOf = (cluster: BrokerCluster) => cluster.replicaSet(ORDERS).lastStableOffset;

test.for([
  ["stopped", "commit"],
  ["stopped", "abort"],
  ["lost its notes", "commit"],
  ["lost its notes", "abort"],
] as const)(
  "readers of committed records see nothing of a transaction whose marker is not visible, at a leader out of sync that had forgotten it and then %s: %s",
  async ([how, control]) => {
    const world = memoryWorld();
    let cluster = await openReplicated(world, { minInSyncReplicas: 2 });
    const producer = cluster.initProducer({});
    const written = write(cluster, { ...producer, value: "a" });
    await replicated(cluster);
    await written;
    cluster.removeFromIsr(ORDERS, 2);
    const copied = async (act: Promise<unknown>) => {
      for (let round = 0; round < 2; round++) await cluster.replicateOnce({ brokerId: 3 });
      await act;
    };
    await copied(end(cluster, producer, control));
    // With this one in its log it need not know any more what has ended before.
    await copied(send(cluster, ["later"], "all"));
    const marks = () => [stableOf(cluster), cluster.visibleEnd(ORDERS)];
    expect(marks()).toEqual([3, 3]);
    if (how === "lost its notes") {
      await cluster.close();
      world.disk.remove(`${cluster.config.dataFolder}/broker-3/replication-offset-checkpoint.json`);
      cluster = await openReplicated(world, { minInSyncReplicas: 2 });
    } else await cluster.stopBroker(3);
    await cluster.promote(ORDERS, 2, { unclean: true });
    expect(marks()).toEqual([0, 1]);
    if (how === "stopped") await cluster.startBroker(3);
    await cluster.promote(ORDERS, 3, { unclean: true });
    const shown = control === "commit" ? ["a", "later"] : ["later"];
    // What it had noted to be visible it shows; without a note it is not known, and neither is the end.
    if (how === "stopped") expect([marks(), committedValues(cluster)]).toEqual([[3, 3], shown]);
    else expect([marks(), committedValues(cluster)]).toEqual([[0, 1], []]);
    await cluster.rejoin(ORDERS, 2);
    await replicated(cluster);
    await replicated(cluster);
    cluster.refreshIsr();
    expect([marks(), committedValues(cluster)]).toEqual([[3, 3], shown]);
  },
);
