/** The line of a failure. */
import { ERRORS, type ErrorCode, type ErrorDetails, failureLine, type RequestId } from "@minikafka/protocol";

/** The line of a failure; `retriable` comes from the one table. */
export function failure(
  id: RequestId | undefined,
  code: ErrorCode,
  message: string,
  details: ErrorDetails = {},
): string {
  const { retriable } = ERRORS[code];
  return failureLine(
    id,
    Object.keys(details).length === 0 ? { code, message, retriable } : { code, message, retriable, details },
  );
}
