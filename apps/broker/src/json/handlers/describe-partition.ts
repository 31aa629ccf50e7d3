/**
 * describe_partition: all that the leader knows, and where each replica stands, also while nobody leads. Refuses: UNKNOWN_TOPIC,
 * UNKNOWN_PARTITION.
 */
import type { Handler } from "../handler.ts";
import { partitionFields } from "../partition-fields.ts";

export const describePartition: Handler<"describe_partition"> = ({ topic, partition }, { cluster }) =>
  partitionFields(cluster, { topic, partition });
