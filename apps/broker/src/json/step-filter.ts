/** Which partitions and followers a step is for, as a request names them. */
import { BrokerError, type StepFilter } from "@minikafka/core";

/** Throws INVALID_REQUEST for a partition of no topic. */
export function stepFilter({
  topic,
  partition,
  broker_id: brokerId,
}: {
  readonly topic?: string | undefined;
  readonly partition?: number | undefined;
  readonly broker_id?: number | undefined;
}): StepFilter {
  if (partition !== undefined && topic === undefined) {
    throw new BrokerError("INVALID_REQUEST", "partition: expected its topic beside it");
  }
  return {
    ...(topic === undefined ? {} : { topic }),
    ...(partition === undefined ? {} : { partition }),
    ...(brokerId === undefined ? {} : { brokerId }),
  };
}
