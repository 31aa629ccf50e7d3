/**
 * FindCoordinator: which broker keeps a group or a transactional id.
 *
 * Behaviour: the leader of the key's partition of __consumer_offsets or __transaction_state, which are made when somebody asks first, as in
 * Kafka. COORDINATOR_NOT_AVAILABLE while nobody leads there. What is amiss with one key of many stands with it.
 * Versions: 0 knows groups alone; 4 asks for many keys (KIP-699); 6 brought share groups, which are INVALID_REQUEST here.
 */
import { BrokerError } from "@minikafka/core";
import {
  KEY_TYPE_GROUP,
  KEY_TYPE_TRANSACTION,
  type RequestOf,
  type ResponseOf,
} from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { ANSWER_MS, withinTime } from "../../time-limit.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { partProblem } from "../part-problem.ts";

type Request = RequestOf<"FindCoordinator">;
type Found = NonNullable<ResponseOf<"FindCoordinator">["coordinators"]>[number];

/** From here on many keys are asked for at once. */
const MANY_SINCE = 4;
const NOWHERE = { nodeId: -1, host: "", port: -1 };

export const findCoordinator: KafkaHandler<"FindCoordinator"> = {
  async serve({ key, keyType, coordinatorKeys }, context, call) {
    if (call.version >= MANY_SINCE)
      return {
        coordinators: await Promise.all(coordinatorKeys.map((each) => find(each, keyType, context, call))),
      };
    const { key: _key, ...found } = await find(key, keyType, context, call);
    return found;
  },
  refusal: ({ coordinatorKeys }, errorCode, { version }) => {
    if (version < MANY_SINCE) return { ...NOWHERE, errorCode };
    return { coordinators: coordinatorKeys.map((key) => ({ key, ...NOWHERE, errorCode })) };
  },
};

async function find(
  key: string,
  keyType: Request["keyType"],
  context: BrokerContext,
  call: KafkaCall,
): Promise<Found> {
  try {
    const nodeId = await coordinatorOf(key, keyType, context);
    const address = context.kafka.addressOf(nodeId);
    if (address === null)
      throw new KafkaRefusal("COORDINATOR_NOT_AVAILABLE", `broker ${nodeId} has no address`);
    return { key, nodeId, ...address, errorCode: NONE, errorMessage: null };
  } catch (problem) {
    return { key, ...NOWHERE, ...partProblem(problem, call) };
  }
}

async function coordinatorOf(
  key: string,
  keyType: number,
  { cluster, deadlines }: BrokerContext,
): Promise<number> {
  if (keyType === KEY_TYPE_GROUP)
    return withinTime(ANSWER_MS, deadlines, { groupId: key }, (giveUp) =>
      cluster.groups.coordinatorOf(key, { giveUp }),
    );
  if (keyType === KEY_TYPE_TRANSACTION)
    return withinTime(ANSWER_MS, deadlines, { transactionalId: key }, (giveUp) =>
      cluster.transactions.coordinatorOf(key, { giveUp }),
    );
  throw new BrokerError("INVALID_REQUEST", `the type of key is ${keyType}; expected 0 or 1`);
}
