/** DescribeCluster: the brokers and the controller (KIP-700). Version 1 asks for brokers or for controllers (KIP-919). */
import { boolean, int8, int16, int32, string } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";
import { OPERATIONS_NOT_ASKED } from "./authorized-operations.ts";

/** Kafka: EndpointType. */
export const ENDPOINT_BROKERS = 1;

export const describeCluster = api({
  key: 60,
  name: "DescribeCluster",
  versions: [0, 1],
  flexibleFrom: 0,
  request: struct({
    includeClusterAuthorizedOperations: field(boolean, { default: false }),
    endpointType: field(int8, { versions: "1+", default: ENDPOINT_BROKERS }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    errorCode: field(int16),
    errorMessage: field(string, { nullable: "0+", default: null }),
    endpointType: field(int8, { versions: "1+", default: ENDPOINT_BROKERS }),
    clusterId: field(string),
    /** -1: none is known. */
    controllerId: field(int32, { default: -1 }),
    brokers: field(
      arrayOf(
        struct({
          brokerId: field(int32),
          host: field(string),
          port: field(int32),
          rack: field(string, { nullable: "0+", default: null }),
        }),
      ),
    ),
    clusterAuthorizedOperations: field(int32, { default: OPERATIONS_NOT_ASKED }),
  }),
});
