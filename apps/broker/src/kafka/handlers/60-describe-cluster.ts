/**
 * DescribeCluster: the brokers that run, and the controller, which is the first of them.
 *
 * Versions: 1 may ask for controllers: MISMATCHED_ENDPOINT_TYPE, since these are the ports of brokers (KIP-919).
 * Not modelled: racks (null), fenced brokers. There are no ACLs: every operation is allowed.
 */
import { ENDPOINT_BROKERS, KAFKA_ERRORS, type ResponseOf } from "@minikafka/protocol/kafka";
import { CLUSTER_OPERATIONS } from "../authorized-operations.ts";
import { NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";
import { runningBrokers } from "../running-brokers.ts";

/** Kafka: EndpointType. */
const CONTROLLERS = 2;

export const describeCluster: KafkaHandler<"DescribeCluster"> = {
  serve({ endpointType, includeClusterAuthorizedOperations }, context) {
    if (endpointType !== ENDPOINT_BROKERS) return notHere(endpointType);
    return {
      errorCode: NONE,
      clusterId: context.cluster.clusterId,
      ...runningBrokers(context),
      ...(includeClusterAuthorizedOperations && { clusterAuthorizedOperations: CLUSTER_OPERATIONS }),
    };
  },
  refusal: (_request, errorCode) => ({ errorCode, clusterId: "", brokers: [] }),
};

/** These are the ports of brokers, which the answer says as well. */
function notHere(endpointType: number): ResponseOf<"DescribeCluster"> {
  const errorCode =
    endpointType === CONTROLLERS
      ? KAFKA_ERRORS.MISMATCHED_ENDPOINT_TYPE
      : KAFKA_ERRORS.UNSUPPORTED_ENDPOINT_TYPE;
  const errorMessage = `the endpoint type is ${endpointType}; expected ${ENDPOINT_BROKERS}, brokers`;
  return { errorCode, errorMessage, clusterId: "", brokers: [] };
}
