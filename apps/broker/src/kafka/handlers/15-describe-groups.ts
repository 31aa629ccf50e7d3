/**
 * DescribeGroups: the state of groups, and their members with what they say of themselves and what they are assigned.
 *
 * Behaviour: each group's coordinator is asked. One that is not there is Dead, without an error; of one without members nothing but its state
 * is told; the protocol and what members say of themselves when it is stable (Kafka: ClassicGroup.asDescribedGroup). One with members of the other kind, which our own clients are, is Dead as well, as in Kafka.
 * Versions: 4 tells the instance ids of static members. Authorized operations are all that there are, where they are asked for.
 * Not modelled: GROUP_ID_NOT_FOUND for a group that is not there (version 6, KIP-1043).
 */
import { BrokerError, type GroupDescription } from "@minikafka/core";
import type { ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { GROUP_OPERATIONS } from "../authorized-operations.ts";
import { NONE, numberOf } from "../error-numbers.ts";
import { lookAtGroupOf } from "../group-calls.ts";
import { DEAD, groupStateName } from "../group-states.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";

type Described = ResponseOf<"DescribeGroups">["groups"][number];

const NOTHING = Buffer.alloc(0);

export const describeGroups: KafkaHandler<"DescribeGroups"> = {
  async serve({ groups, includeAuthorizedOperations }, context, call) {
    const operations = includeAuthorizedOperations ? { authorizedOperations: GROUP_OPERATIONS } : {};
    const described = Array.from(new Set(groups), async (groupId) => ({
      ...(await describe(groupId, context, call)),
      ...operations,
    }));
    return { groups: await Promise.all(described) };
  },
  refusal: ({ groups }, errorCode) => ({ groups: groups.map((groupId) => nothingOf(groupId, errorCode)) }),
};

async function describe(groupId: string, context: BrokerContext, call: KafkaCall): Promise<Described> {
  try {
    const group = await lookAtGroupOf(groupId, context, call, (groups, wait) =>
      groups.describe(groupId, wait),
    );
    return group.members.length > 0 && group.classic === null ? nothingOf(groupId, NONE) : shown(group);
  } catch (problem) {
    // A name that no group may have is that of none.
    const isDead =
      problem instanceof BrokerError && ["UNKNOWN_GROUP", "INVALID_GROUP_ID"].includes(problem.code);
    return nothingOf(groupId, isDead ? NONE : numberOf(problem, call));
  }
}

function shown({ groupId, state, classic, members }: GroupDescription): Described {
  // What a group has agreed on is told when it has: until then a client must not take it for that.
  const isStable = state === "stable";
  return {
    errorCode: NONE,
    groupId,
    groupState: groupStateName(state),
    protocolType: classic?.protocolType ?? "",
    protocolData: (isStable ? classic?.protocol : null) ?? "",
    members: members.flatMap(({ memberId, classic: facts }) => {
      if (facts === null) return [];
      const { instanceId: groupInstanceId, clientId, clientHost, metadata, assignment } = facts;
      const told = { memberMetadata: isStable ? metadata : NOTHING, memberAssignment: assignment };
      return [{ memberId, groupInstanceId, clientId, clientHost, ...told }];
    }),
  };
}

function nothingOf(groupId: string, errorCode: number): Described {
  return { errorCode, groupId, groupState: DEAD, protocolType: "", protocolData: "", members: [] };
}
