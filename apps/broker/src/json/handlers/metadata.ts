/** metadata: leaders and in-sync replicas of a topic's partitions. Refuses: UNKNOWN_TOPIC. */
import type { Handler } from "../handler.ts";

export const metadata: Handler<"metadata"> = ({ topic }, { cluster }) => ({
  topic,
  partitions: cluster.metadata(topic).partitions.map((each) => ({
    partition: each.partition,
    leader_id: each.leaderId,
    leader_epoch: each.leaderEpoch,
    replicas: [...each.replicas],
    isr: [...each.inSyncReplicas],
  })),
});
