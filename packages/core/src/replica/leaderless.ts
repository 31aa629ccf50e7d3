/** What a client is told when a partition cannot serve it, and what an operator can do: nothing is elected. Pure. */
import { BrokerError } from "../errors.ts";
import type { PartitionState } from "./partition-state.ts";
import { partitionName, type TopicPartition } from "./topic-partition.ts";

/**
 * How a replica stands: `ready` could lead at once, `stopped` when its broker has started, `failed` when its broker, whose disk
 * failed, has been stopped and started; what is `offline` has no log that can be read as long as its broker runs.
 */
export type ReplicaCondition = "ready" | "stopped" | "failed" | "offline";

export interface ReplicaStanding {
  readonly brokerId: number;
  readonly condition: ReplicaCondition;
}

/** LEADER_NOT_AVAILABLE, with what an operator can do about it. */
export function noLeader(
  place: TopicPartition,
  state: PartitionState,
  replicas: readonly ReplicaStanding[],
): BrokerError {
  const { leaderId } = state;
  const why = leaderId === null ? "nobody leads it" : `broker ${leaderId}, which leads it, does not serve`;
  const message = `${partitionName(place)}: ${why}; ${cureFor(state, replicas)}`;
  const { topic, partition } = place;
  return new BrokerError("LEADER_NOT_AVAILABLE", message, { topic, partition, leader_id: leaderId });
}

/** STORAGE_ERROR, with the reason why the leader's log cannot be read, and what an operator can do about it. */
export function partitionOffline(
  place: TopicPartition,
  problem: BrokerError,
  cure: { readonly state: PartitionState; readonly replicas: readonly ReplicaStanding[] },
): BrokerError {
  const message = `${partitionName(place)} is off line: ${problem.message}; ${cureFor(cure.state, cure.replicas)}`;
  return new BrokerError("STORAGE_ERROR", message, problem.details, { cause: problem });
}

/** LEADER_NOT_AVAILABLE while a promotion that cuts is under way. */
export function leaderMoves(place: TopicPartition): BrokerError {
  const message = `${partitionName(place)}: another replica is just taking over; try again`;
  return new BrokerError("LEADER_NOT_AVAILABLE", message);
}

/** What brings the partition back, the way that loses nothing first. */
export function cureFor(
  { leaderId, inSyncReplicas }: PartitionState,
  replicas: readonly ReplicaStanding[],
): string {
  const others = replicas.filter(({ brokerId }) => brokerId !== leaderId);
  const isMember = ({ brokerId }: ReplicaStanding) => inSyncReplicas.includes(brokerId);
  const ready = others.filter(({ condition }) => condition === "ready");
  const promotable = ready.filter(isMember);
  if (promotable.length > 0)
    return `in sync and on line are ${idsOf(promotable)}, one of which may be promoted`;
  const members = (condition: ReplicaCondition) =>
    replicas.filter((each) => isMember(each) && each.condition === condition);
  const ways = [
    startOf(members("stopped"), leaderId, "start_broker"),
    startOf(members("failed"), leaderId, "stop_broker and start_broker"),
    restorationOf(members("offline")),
    uncleanOf(ready),
  ].filter((way) => way !== null);
  return `nobody in sync is on line to be promoted: ${[...ways, "delete the topic"].join("; or ")}`;
}

function startOf(replicas: readonly ReplicaStanding[], leaderId: number | null, step: string): string | null {
  if (replicas.length === 0) return null;
  const isEnough = replicas.some(({ brokerId }) => brokerId === leaderId);
  if (isEnough) return `${step} ${leaderId} first, which leads it`;
  return `${step} ${idsOf(replicas, " or ")} first, and promote it`;
}

function restorationOf(replicas: readonly ReplicaStanding[]): string | null {
  if (replicas.length === 0) return null;
  return `stop_broker ${idsOf(replicas, " or ")}, restore its copy if that is damaged, and start_broker it`;
}

function uncleanOf(replicas: readonly ReplicaStanding[]): string | null {
  if (replicas.length === 0) return null;
  return `promote ${idsOf(replicas, " or ")} with unclean, which loses what only others hold`;
}

function idsOf(replicas: readonly ReplicaStanding[], between = ", "): string {
  return replicas.map(({ brokerId }) => brokerId).join(between);
}
