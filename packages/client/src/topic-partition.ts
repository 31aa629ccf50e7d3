/** The address of a log, and how a call is refused that names none, or none of a replica. */
import { shownValue } from "@minikafka/record";
import { usageError } from "./usage.ts";

/** The address of a log. With an offset it is the address of a record. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** For maps and messages; a topic's name holds no slash. */
export function topicPartitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Throws USAGE unless `place` has the fields of a place: a topic alone, or a broker in the place of it, would be asked for nothing. */
export function requirePlace(call: string, place: unknown): void {
  if (typeof place === "object" && place !== null && "topic" in place && "partition" in place) return;
  throw usageError(`${call} begins with a place, { topic, partition }; got ${shownValue(place)}`);
}

/** Throws USAGE unless a replica is meant: a place, and the number of its broker beside it. */
export function requireReplica(method: string, place: unknown, brokerId: unknown): void {
  const call = `${method}({ topic, partition }, brokerId)`;
  requirePlace(call, place);
  if (!Number.isSafeInteger(brokerId))
    throw usageError(`brokerId is ${shownValue(brokerId)}; expected a broker's number, as in ${call}`);
}
