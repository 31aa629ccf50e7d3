/**
 * A metadata file that is older than the logs beside it, as when it was restored from a backup: a log has batches of a leader epoch
 * that the file has never heard of. Pure.
 *
 * Who leads and who is in sync it does not know, then. The leader that it names may lack what was acknowledged, others would cut
 * theirs for it, and an epoch that it gave away anew would mean two different things. So nobody leads, and those count as in sync
 * that hold the most, in the order of epochs: whoever leads next, by an operator's word, has everything that was acknowledged by all.
 * When a copy cannot be seen, nobody is known to hold that. Kafka keeps its metadata in
 * a replicated log (KIP-500); here it is one file that anybody may put back.
 */
import type { PartitionState } from "./partition-state.ts";
import { holdsMore, type StartDecision, type StartedReplica } from "./started-replica.ts";

type Epochs = readonly Pick<StartedReplica, "lastEpoch">[];

/** The latest epoch of which one of the logs has a batch; -1 when none has any. */
export function latestEpochOf(replicas: Epochs): number {
  return Math.max(-1, ...replicas.map(({ lastEpoch }) => lastEpoch ?? -1));
}

export function isOutdated({ leaderEpoch }: PartitionState, replicas: Epochs): boolean {
  return latestEpochOf(replicas) > leaderEpoch;
}

/** What the logs alone tell, of a partition whose metadata is outdated. With one replica its log goes on, under a new epoch. */
export function stateFromLogs(state: PartitionState, replicas: readonly StartedReplica[]): StartDecision {
  const logEpoch = latestEpochOf(replicas);
  const [only] = replicas;
  if (only !== undefined && replicas.length === 1) {
    const leaderEpochStartOffset = only.logEndOffset ?? 0;
    return { state: { ...state, leaderEpoch: logEpoch + 1, leaderEpochStartOffset }, moves: [] };
  }
  const isSeen = replicas.every(({ logEndOffset }) => logEndOffset !== null);
  const isBest = (replica: StartedReplica) => isSeen && !replicas.some((other) => holdsMore(other, replica));
  const { heldOut, ...rest } = state;
  const inSyncReplicas = replicas.filter(isBest).map(({ brokerId }) => brokerId);
  const stillOut = (heldOut ?? []).filter((id) => !inSyncReplicas.includes(id));
  const moves = replicas
    .filter(({ brokerId }) => state.inSyncReplicas.includes(brokerId) !== inSyncReplicas.includes(brokerId))
    .map(({ brokerId, logEndOffset }) => ({ brokerId, reason: "outdated_metadata" as const, logEndOffset }));
  return {
    state: {
      ...rest,
      leaderId: null,
      leaderEpoch: logEpoch,
      inSyncReplicas,
      ...(stillOut.length === 0 ? {} : { heldOut: stillOut }),
    },
    moves,
  };
}
