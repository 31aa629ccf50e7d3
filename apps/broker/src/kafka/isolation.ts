/** Kafka's isolation levels (KIP-98). */
import type { Isolation } from "@minikafka/core";
import { KafkaRefusal } from "./error-numbers.ts";

/** Throws INVALID_REQUEST. */
export function isolationOf(level: number): Isolation {
  if (level === 0) return "read_uncommitted";
  if (level === 1) return "read_committed";
  throw new KafkaRefusal("INVALID_REQUEST", `the isolation level is ${level}; expected 0 or 1`);
}
