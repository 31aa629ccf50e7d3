/** Offsets that a transaction sends, and its end, as its coordinator asks for them. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { CommitRequest } from "../src/offsets/commit-request.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import type { MarkerResult } from "../src/replica/transaction-end.ts";
import { OFFSETS_TOPIC, offsetOf } from "./offsets-world.ts";

export const PLACE = { topic: OFFSETS_TOPIC, partition: 0 };
export const PRODUCER: ProducerIdentity = { producerId: 31, producerEpoch: 0 };

/** Sends them as a part of the transaction, which is ongoing. */
export function stage(
  cluster: BrokerCluster,
  groupId: string,
  offsets: readonly string[],
  producer = PRODUCER,
  member: CommitRequest["member"] = null,
): Promise<void> {
  const request = { groupId, member, offsets: offsets.map(offsetOf) };
  return cluster.groups.stage(request, { ...producer, requireOngoing: () => {} });
}

/** Ends it with the epoch that follows. */
export function end(
  cluster: BrokerCluster,
  control: "commit" | "abort",
  { producerId, producerEpoch } = PRODUCER,
): Promise<MarkerResult> {
  const marker = { producerId, producerEpoch: producerEpoch + 1, coordinatorEpoch: 0, control };
  return cluster.groups.endTransaction(PLACE, marker);
}
