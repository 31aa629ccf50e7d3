/** The line of a failure. */
import {
  ERRORS,
  type ErrorCode,
  type ErrorDetails,
  failureLine,
  type RequestId,
  withoutControls,
} from "@minikafka/protocol";

/** What details repeat of a request. Longer than every name that there can be: 249 characters of a topic's (Kafka: Topic.MAX_NAME_LENGTH). */
const REPEATED_MAX = 300;

/**
 * The line of a failure, which is short whatever was asked, and of whose message a terminal obeys nothing; `retriable` comes from the
 * one table. Details are data: a name stands there as it was given.
 */
export function failure(
  id: RequestId | undefined,
  code: ErrorCode,
  message: string,
  details: ErrorDetails = {},
): string {
  const { retriable } = ERRORS[code];
  const shown = withoutControls(message);
  const told = Object.entries(details).map(([name, value]) => [name, cut(value)]);
  return failureLine(
    id,
    told.length === 0
      ? { code, message: shown, retriable }
      : { code, message: shown, retriable, details: Object.fromEntries(told) },
  );
}

function cut(value: unknown): unknown {
  if (typeof value !== "string" || value.length <= REPEATED_MAX) return value;
  return `${value.slice(0, REPEATED_MAX)} and ${value.length - REPEATED_MAX} more characters`;
}
