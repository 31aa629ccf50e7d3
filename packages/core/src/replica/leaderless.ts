/** What a client is told when a partition cannot serve it. */
import { BrokerError } from "../errors.ts";
import type { PartitionState } from "./partition-state.ts";
import { partitionName, type TopicPartition } from "./topic-partition.ts";

/** LEADER_NOT_AVAILABLE, with what an operator can do about it: nothing is elected. */
export function noLeader(place: TopicPartition, state: PartitionState): BrokerError {
  const { leaderId, inSyncReplicas } = state;
  const others = inSyncReplicas.filter((id) => id !== leaderId);
  const cure =
    others.length > 0
      ? `in sync are ${others.join(", ")}, one of which may be promoted`
      : "no other replica is in sync: promoting one with unclean loses what only others hold";
  const why = leaderId === null ? "nobody leads it" : `broker ${leaderId}, which leads it, does not serve`;
  return new BrokerError("LEADER_NOT_AVAILABLE", `${partitionName(place)}: ${why}; ${cure}`, {
    leader_id: leaderId,
  });
}

/** STORAGE_ERROR, with the reason why the leader's log could not be opened. */
export function partitionOffline(place: TopicPartition, problem: BrokerError): BrokerError {
  const message = `${partitionName(place)} is off line: ${problem.message}`;
  return new BrokerError("STORAGE_ERROR", message, problem.details, { cause: problem });
}
