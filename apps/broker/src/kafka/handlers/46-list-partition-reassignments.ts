/**
 * ListPartitionReassignments: none is ever under way, since no replica moves to another broker here (KIP-455). As in Kafka, a partition of
 * which none is under way is not named, nor is one that there is not.
 */
import { NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";

export const listPartitionReassignments: KafkaHandler<"ListPartitionReassignments"> = {
  serve: () => ({ errorCode: NONE, topics: [] }),
  refusal: (_request, errorCode) => ({ errorCode, topics: [] }),
};
