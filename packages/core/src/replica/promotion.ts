/** What becomes of a partition when an operator names another leader. Pure. */
import { assert } from "../assert.ts";
import { BrokerError } from "../errors.ts";
import { cureFor, type ReplicaStanding } from "./leaderless.ts";
import { deletedWithin, type PartitionState, released, withCopyAnew } from "./partition-state.ts";
import { partitionName, type TopicPartition } from "./topic-partition.ts";

/** A replica as the promotion sees it. */
export interface Candidate extends ReplicaStanding {
  /** Why it cannot be read; `null` when it can. */
  readonly offlineProblem: BrokerError | null;
}

export interface PromotionRequest {
  readonly brokerId: number;
  /** Whether a replica may be taken that is not in sync, with the loss of what only others hold. */
  readonly isUncleanAllowed: boolean;
}

/** Throws BROKER_NOT_AVAILABLE or NOT_IN_SYNC_REPLICA when `request` names a replica that may not lead. */
export function requirePromotable(
  place: TopicPartition,
  state: PartitionState,
  replicas: readonly Candidate[],
  { brokerId, isUncleanAllowed }: PromotionRequest,
): void {
  const name = partitionName(place);
  const candidate = replicas.find((replica) => replica.brokerId === brokerId);
  assert(candidate !== undefined, `broker ${brokerId} holds no copy of ${name}`);
  if (candidate.condition !== "ready") {
    const reason = candidate.offlineProblem?.message ?? "its disk has failed";
    const isLed = replicas.some((each) => each.brokerId === state.leaderId && each.condition === "ready");
    const cure = isLed ? "rejoin fetches it anew from its leader" : cureFor(state, replicas);
    const message = `broker ${brokerId} cannot lead ${name}: ${reason}; ${cure}`;
    throw new BrokerError("BROKER_NOT_AVAILABLE", message, { broker_id: brokerId });
  }
  if (state.inSyncReplicas.includes(brokerId) || isUncleanAllowed) return;
  const inSync = state.inSyncReplicas.join(", ") || "none";
  throw new BrokerError(
    "NOT_IN_SYNC_REPLICA",
    `broker ${brokerId} is not in sync at ${name} (in sync: ${inSync}); to lead with it would lose records, which unclean allows`,
    { broker_id: brokerId },
  );
}

/**
 * The state under the new leader, whose log ends at `logEndOffset`. Those stay in sync that are on line; a replica that was not
 * in sync leads alone, since nobody is known to hold what it holds (Kafka: an unclean election leaves the leader alone). What the last
 * leader's compaction has dropped it may have dropped for the sake of records that are lost now; and who has copied from it without these
 * does not know that. So all others are to be copied anew, where the topic is compacted: two logs of the same epochs may differ.
 */
export function promotedState(
  state: PartitionState,
  replicas: readonly Candidate[],
  { brokerId, logEndOffset }: { brokerId: number; logEndOffset: number },
): PartitionState {
  const isClean = state.inSyncReplicas.includes(brokerId);
  const isIn = (replica: Candidate) =>
    replica.brokerId === brokerId ||
    (isClean && replica.condition === "ready" && state.inSyncReplicas.includes(replica.brokerId));
  const { heldOut } = released(state, brokerId);
  const { deletedBefore } = deletedWithin(state, logEndOffset);
  const promoted = {
    leaderId: brokerId,
    leaderEpoch: state.leaderEpoch + 1,
    leaderEpochStartOffset: logEndOffset,
    inSyncReplicas: replicas.filter(isIn).map((replica) => replica.brokerId),
    ...(heldOut === undefined ? {} : { heldOut }),
    ...(deletedBefore === undefined ? {} : { deletedBefore }),
  };
  const ids = replicas.map((replica) => replica.brokerId);
  return withCopyAnew(promoted, ids, isClean ? state.copyAnew : ids);
}
