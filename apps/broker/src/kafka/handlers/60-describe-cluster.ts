/**
 * DescribeCluster: the brokers that run, and the controller, which is the first of them.
 *
 * Versions: 1 may ask for controllers: MISMATCHED_ENDPOINT_TYPE, since these are the ports of brokers (KIP-919).
 * Not modelled: racks (null), fenced brokers. There are no ACLs: every operation is allowed.
 */
import { ENDPOINT_BROKERS } from "@minikafka/protocol/kafka";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";

/** Kafka: EndpointType. */
const CONTROLLERS = 2;

/** Of the cluster, as a bit each: create, alter, describe, cluster action, both of configs, idempotent write. */
const CLUSTER_OPERATIONS = 0x1fa0;

export const describeCluster: KafkaHandler<"DescribeCluster"> = {
  serve({ endpointType, includeClusterAuthorizedOperations }, { cluster, kafka }) {
    if (endpointType !== ENDPOINT_BROKERS)
      throw new KafkaRefusal(
        endpointType === CONTROLLERS ? "MISMATCHED_ENDPOINT_TYPE" : "UNSUPPORTED_ENDPOINT_TYPE",
        `the endpoint type is ${endpointType}; expected ${ENDPOINT_BROKERS}, brokers`,
      );
    const running = cluster.brokerStates().filter(({ state }) => state !== "stopped");
    return {
      errorCode: NONE,
      clusterId: cluster.clusterId,
      controllerId: running[0]?.brokerId ?? -1,
      brokers: running.flatMap(({ brokerId }) => {
        const address = kafka.addressOf(brokerId);
        return address === null ? [] : [{ brokerId, ...address }];
      }),
      ...(includeClusterAuthorizedOperations && { clusterAuthorizedOperations: CLUSTER_OPERATIONS }),
    };
  },
  refusal: ({ endpointType }, errorCode) => ({ errorCode, endpointType, clusterId: "", brokers: [] }),
};
