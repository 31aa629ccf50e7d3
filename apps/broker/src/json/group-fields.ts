/** A group from the inside, as the wire says it. */
import type { ClassicMemberFacts, GroupDescription } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";
import { placeFields } from "./member-fields.ts";

export function groupFields(group: GroupDescription): ResponseFields<"describe_group"> {
  const { lastRebalance } = group;
  return {
    group_id: group.groupId,
    type: group.type,
    state: group.state,
    generation: group.generation,
    assignor: group.assignor,
    classic: group.classic && {
      protocol_type: group.classic.protocolType,
      protocol: group.classic.protocol,
      leader_id: group.classic.leaderId,
    },
    rebalance: group.rebalance,
    coordinator_id: group.coordinatorId,
    offsets_partition: group.offsetsPartition,
    last_rebalance: lastRebalance && {
      generation: lastRebalance.generation,
      reason: lastRebalance.reason,
      at_ms: lastRebalance.atMs,
    },
    members: group.members.map((member) => ({
      member_id: member.memberId,
      topics: [...member.topics],
      session_timeout_ms: member.sessionTimeoutMs,
      rebalance_timeout_ms: member.rebalanceTimeoutMs,
      heartbeat_age_ms: member.heartbeatAgeMs,
      assignment: placeFields(member.assignment),
      pending: placeFields(member.pending),
      revoking: placeFields(member.revoking),
      classic: member.classic && classicFields(member.classic),
    })),
  };
}

function classicFields({ instanceId, clientId, clientHost, metadata, assignment }: ClassicMemberFacts) {
  return {
    instance_id: instanceId,
    client_id: clientId,
    client_host: clientHost,
    metadata_b64: metadata.toString("base64"),
    assignment_b64: assignment.toString("base64"),
  };
}
