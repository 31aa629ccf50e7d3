/**
 * JoinGroup: a member enters a classic group, or enters it anew; answered when the generation begins.
 *
 * Behaviour: as the kernel's classic groups say; the request waits for the other members, however long the group lets it, and holds up
 * nothing that is sent behind it. The leader is told of everybody, with what they say for the protocol that was chosen.
 * A rebalance timeout of 0, which kafkajs's JoinGroup writes where none is given, is the session's: none would have the time to sync.
 * Versions: before 1 the rebalance timeout is the session's; from 4 on a member without an id is given one with MEMBER_ID_REQUIRED, and
 * comes again with it (KIP-394); 5 brought static members (KIP-345); 7 tells the protocol's type; from 9 on a static leader that comes
 * back may be told to assign nothing (KIP-814).
 */
import { BrokerError } from "@minikafka/core";
import type { RequestOf, ResponseOf } from "@minikafka/protocol/kafka";
import { NONE, numberOf } from "../error-numbers.ts";
import { waitInGroup } from "../group-calls.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";

type Request = RequestOf<"JoinGroup">;

const KNOWN_MEMBER_ID_SINCE = 4;
const SKIPPING_SINCE = 9;
/** From here on a name that there is not may be null. */
const NO_NAME_SINCE = 7;

export const joinGroup: KafkaHandler<"JoinGroup"> = {
  async serve(request, context, call) {
    const { groupId } = request;
    try {
      const joined = await waitInGroup(groupId, context, call, (groups, wait) =>
        groups.classic.join(joiningOf(request, call), wait),
      );
      const { generation, protocolType, protocolName, leader, skipAssignment, memberId, members } = joined;
      return {
        errorCode: NONE,
        generationId: generation,
        ...{ protocolType, protocolName, leader, skipAssignment, memberId, members },
      };
    } catch (problem) {
      const errorCode = numberOf(problem, call);
      return refused(errorCode, givenMemberId(problem) ?? request.memberId, call);
    }
  },
  refusal: ({ memberId }, errorCode, call) => refused(errorCode, memberId, call),
};

function joiningOf(request: Request, { version, clientId, clientHost }: KafkaCall) {
  const { groupId, memberId, groupInstanceId, protocolType, protocols, sessionTimeoutMs, reason } = request;
  return {
    ...{ groupId, memberId, groupInstanceId, protocolType, protocols, sessionTimeoutMs, reason, clientHost },
    clientId: clientId ?? "",
    rebalanceTimeoutMs: request.rebalanceTimeoutMs <= 0 ? sessionTimeoutMs : request.rebalanceTimeoutMs,
    requiresKnownMemberId: version >= KNOWN_MEMBER_ID_SINCE,
    supportsSkippingAssignment: version >= SKIPPING_SINCE,
  };
}

/** What comes with MEMBER_ID_REQUIRED. */
function givenMemberId(problem: unknown): string | null {
  if (!(problem instanceof BrokerError) || problem.code !== "MEMBER_ID_REQUIRED") return null;
  const { member_id: memberId } = problem.details;
  return typeof memberId === "string" ? memberId : null;
}

function refused(errorCode: number, memberId: string, { version }: KafkaCall): ResponseOf<"JoinGroup"> {
  const protocolName = version >= NO_NAME_SINCE ? null : "";
  return { errorCode, generationId: -1, protocolName, leader: "", memberId, members: [] };
}
