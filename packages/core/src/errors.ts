/**
 * What the world may do to the kernel, and the one shape in which the kernel says so. A BrokerError is an answer: it goes
 * to the client with its code, and the broker lives on. What cannot happen is an assertion instead (assert.ts).
 */
import type { ErrorCode } from "@minikafka/protocol/errors";

/** Facts beside the sentence, for programs: offsets, positions, names. */
export interface ErrorDetails {
  readonly [name: string]: string | number | boolean | null;
}

export class BrokerError extends Error {
  override readonly name = "BrokerError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /** `message` is one sentence that carries the value seen and the value expected. */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: { cause: unknown }) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/**
 * `problem`, of an acknowledgement: what is to be acknowledged lies in the log already, and may stay there or not. The code alone may
 * also be that of a refusal, after which surely nothing is there.
 */
export function afterAppend(problem: BrokerError): BrokerError {
  const { code, message, details } = problem;
  return new BrokerError(code, message, { ...details, appended: true }, { cause: problem });
}

/** Where damage or a refusal was met. */
export interface StorageSite {
  readonly file: string;
  /** Byte position in the file, when the trouble has one. */
  readonly position?: number;
  /** What should have been there, in words. */
  readonly expected?: string;
  /** Further facts for the error's details. */
  readonly details?: ErrorDetails;
}

/**
 * STORAGE_ERROR for a disk that refused (`problem` is its DiskError) or for bytes that are not what was written
 * (`problem` is the sentence that says what is there). The message always names the file, and the position when known.
 */
export function storageError(problem: unknown, site: StorageSite): BrokerError {
  const said = problem instanceof Error ? problem.message : String(problem);
  const at = site.position === undefined ? site.file : `${site.file} at position ${site.position}`;
  const word = said.includes("expected") ? "needed is" : "expected";
  const expected = site.expected === undefined ? "" : `; ${word} ${site.expected}`;
  const details: Record<string, string | number | boolean | null> = { ...site.details, file: site.file };
  if (site.position !== undefined) details.position = site.position;
  if (site.expected !== undefined) details.expected = site.expected;
  const options = problem instanceof Error ? { cause: problem } : undefined;
  return new BrokerError("STORAGE_ERROR", `${at}: ${said}${expected}`, details, options);
}
