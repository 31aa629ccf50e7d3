/** What is said of a batch that was not delivered. */
import { asMiniKafkaError, hasCode, isFateUnknown, MiniKafkaError } from "../errors.ts";
import type { TopicPartition } from "../topic-partition.ts";

/** `error`, for a request of which an attempt before had no answer: it may have taken effect all the same. */
export function inDoubt(error: MiniKafkaError): MiniKafkaError {
  if (isFateUnknown(error)) return error;
  const details = { ...error.details, inDoubt: true };
  return new MiniKafkaError(
    error.code,
    `${error.message} (an attempt before had no answer: whether it took effect is unknown)`,
    { details, cause: error, retriable: error.retriable, effect: error.effect },
  );
}

/** A fault of this SDK (an encoder that refuses, say) must not leave promises hanging. */
export function ownError(error: unknown): MiniKafkaError {
  try {
    return asMiniKafkaError(error);
  } catch {
    const why = error instanceof Error ? error.message : String(error);
    return new MiniKafkaError("USAGE", `the batch could not be sent: ${why}`, { cause: error });
  }
}

export function expiredError(
  { topic, partition }: TopicPartition,
  deliveryTimeoutMs: number,
): MiniKafkaError {
  const message = `the records for ${topic}/${partition} were not sent within deliveryTimeoutMs (${deliveryTimeoutMs})`;
  return new MiniKafkaError("TIMEOUT", message, { details: { sent: false, deliveryTimeoutMs } });
}

/**
 * For records whose topic's partitions could not be asked for: whatever became of that request, they never went out. A broker that was
 * silent is TIMEOUT, whoever's request found that out; what it has answered is told as it is. `deliveryTimeoutMs` is `null` where it
 * was not their time that ended the trying.
 */
export function unplacedError(
  topic: string,
  cause: unknown,
  deliveryTimeoutMs: number | null,
): MiniKafkaError {
  const error = asMiniKafkaError(cause);
  if (!hasCode(error, "TIMEOUT", "CONNECTION")) return error;
  const code = hasCode(error.cause, "TIMEOUT") ? "TIMEOUT" : error.code;
  const within = deliveryTimeoutMs === null ? "" : ` within deliveryTimeoutMs (${deliveryTimeoutMs})`;
  const message = `the records for ${topic} were not sent${within}: ${error.message}`;
  return new MiniKafkaError(code, message, { details: { sent: false, deliveryTimeoutMs }, cause });
}

/** `sent`: whether records may have gone out and have no answer. */
export function producerClosedError(sent: boolean): MiniKafkaError {
  return new MiniKafkaError("CLOSED", "the producer is closed", { details: { sent } });
}
