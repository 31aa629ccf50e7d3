/** Whatever went wrong, in the one shape that is printed and that decides the exit code. */
import type { ErrorCode } from "@minikafka/protocol/errors";
import type { LocalCode } from "./exit-codes.ts";

export interface Failure {
  /** A code of the protocol's table, a code of a newer broker, or one of {@link LocalCode}. */
  readonly code: string;
  readonly retriable: boolean;
  readonly message: string;
  readonly details: Readonly<{ [name: string]: unknown }>;
  /** What to do next, when the place that failed knows better than the table of hints. */
  readonly hint?: string;
}

interface FailureFacts {
  readonly hint?: string;
  readonly details?: Failure["details"];
}

/** A condition that this program found itself; one that the broker would refuse has the broker's code. */
export class CliError extends Error implements Failure {
  override readonly name = "CliError";
  readonly code: LocalCode | ErrorCode;
  readonly retriable: boolean;
  readonly details: Failure["details"];
  readonly hint?: string;

  constructor(code: LocalCode | ErrorCode, message: string, facts: FailureFacts = {}) {
    super(message);
    this.code = code;
    this.retriable = code === "CONNECTION" || code === "TIMEOUT";
    this.details = facts.details ?? {};
    if (facts.hint !== undefined) this.hint = facts.hint;
  }
}

/** What became of one record of many: the failure itself, and which line of the input it was. */
export class RecordFailure extends Error implements Failure {
  override readonly name = "RecordFailure";
  readonly code: string;
  readonly retriable: boolean;
  readonly details: Failure["details"];

  constructor(
    failure: Failure,
    line: number | null,
    counts: { readonly produced: number; readonly failed: number },
  ) {
    super(line === null ? failure.message : `line ${line}: ${failure.message}`, { cause: failure });
    this.code = failure.code;
    this.retriable = failure.retriable;
    this.details = { ...failure.details, ...(line === null ? {} : { line, ...counts }) };
  }
}

/** What is wrong with one partition of several: the failure itself, with its place. */
export class PartitionFailure extends Error implements Failure {
  override readonly name = "PartitionFailure";
  readonly code: string;
  readonly retriable: boolean;
  readonly details: Failure["details"];

  constructor(
    failure: Failure,
    place: { readonly topic: string; readonly partition: number },
    others: number,
  ) {
    super(others === 0 ? failure.message : `${failure.message} (and ${others} more)`, { cause: failure });
    this.code = failure.code;
    this.retriable = failure.retriable;
    this.details = { ...failure.details, ...place, others };
  }
}

/** Thrown through a command when its reader has closed the pipe: nothing is wrong, there is only nobody left to write for. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** Thrown through a command when the user asked it to stop. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** The SDK's errors and our own carry a code, the system's a call that was refused; anything else is a fault of this program, and says so. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CliError || error instanceof RecordFailure || error instanceof PartitionFailure)
    return error;
  if (error instanceof Error && "code" in error && typeof error.code === "string" && "retriable" in error) {
    const details = "details" in error ? error.details : undefined;
    return {
      code: error.code,
      retriable: error.retriable === true,
      message: error.message,
      details: isDetails(details) ? details : {},
    };
  }
  if (error instanceof Error && "syscall" in error) {
    const hint = "the operating system refused; is the disk full, or a stream not open?";
    return { code: "UNEXPECTED", retriable: false, message: error.message, details: {}, hint };
  }
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: "UNEXPECTED", retriable: false, message: shown, details: {} };
}

function isDetails(value: unknown): value is Failure["details"] {
  return value !== null && typeof value === "object";
}
