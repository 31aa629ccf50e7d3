/** The two shapes of an answer line, and how a client tells them apart. */
import { z } from "zod";
import type { ErrorCode } from "../errors.ts";
import { jsonLine } from "./json-text.ts";
import { type RequestId, requestId } from "./operation.ts";

/** The protocol's number, raised when a client of the old one could misread the new. */
export const PROTOCOL_VERSION = 1;

export type ErrorDetails = Readonly<{ [name: string]: unknown }>;

/** A failure as the broker writes it. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retriable: boolean;
  readonly details?: ErrorDetails;
}

/** The line of a success, ended by a newline; as bytes when it is long. */
export function successLine(id: RequestId | undefined, fields: object): string | Buffer {
  return jsonLine({ ok: true, id, ...fields });
}

/** The line of a failure, ended by a newline. */
export function failureLine(id: RequestId | undefined, failure: Failure): string {
  return `${JSON.stringify({ ok: false, ...(id === undefined ? {} : { id }), ...failure })}\n`;
}

const failureAnswer = z.looseObject({
  ok: z.literal(false),
  id: requestId.optional(),
  code: z.string(),
  message: z.string(),
  retriable: z.boolean().default(false),
  details: z.record(z.string(), z.unknown()).optional(),
});
const successAnswer = z.looseObject({ ok: z.literal(true), id: requestId.optional() });

/** An answer line, parsed as far as its envelope; a code of a newer broker is kept as it is. */
export const answerEnvelope = z.discriminatedUnion("ok", [successAnswer, failureAnswer]);
export type AnswerEnvelope = z.output<typeof answerEnvelope>;
