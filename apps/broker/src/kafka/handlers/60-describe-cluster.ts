/**
 * DescribeCluster: the brokers that run, and the controller, which is the first of them.
 *
 * Versions: 1 may ask for controllers: MISMATCHED_ENDPOINT_TYPE, since these are the ports of brokers (KIP-919).
 * Not modelled: racks (null), fenced brokers. There are no ACLs: every operation is allowed.
 */
import { ENDPOINT_BROKERS } from "@minikafka/protocol/kafka";
import { CLUSTER_OPERATIONS } from "../authorized-operations.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";
import { runningBrokers } from "../running-brokers.ts";

/** Kafka: EndpointType. */
const CONTROLLERS = 2;

export const describeCluster: KafkaHandler<"DescribeCluster"> = {
  serve({ endpointType, includeClusterAuthorizedOperations }, context) {
    if (endpointType !== ENDPOINT_BROKERS)
      throw new KafkaRefusal(
        endpointType === CONTROLLERS ? "MISMATCHED_ENDPOINT_TYPE" : "UNSUPPORTED_ENDPOINT_TYPE",
        `the endpoint type is ${endpointType}; expected ${ENDPOINT_BROKERS}, brokers`,
      );
    return {
      errorCode: NONE,
      clusterId: context.cluster.clusterId,
      ...runningBrokers(context),
      ...(includeClusterAuthorizedOperations && { clusterAuthorizedOperations: CLUSTER_OPERATIONS }),
    };
  },
  refusal: ({ endpointType }, errorCode) => ({ errorCode, endpointType, clusterId: "", brokers: [] }),
};
