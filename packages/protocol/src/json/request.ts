/** From a line to a request that a handler can trust, or to the sentence that says what is wrong with it. */
import type { z } from "zod";
import { REQUEST_BOUNDS } from "./line-structure.ts";
import { parseJsonWithBytes } from "./long-bytes.ts";
import { type RequestId, requestId } from "./operation.ts";
import { isOperationName, OPERATIONS, type OperationName, type ParsedRequest } from "./operations.ts";
import { givenText, parse } from "./parsing.ts";
import { InvalidJson, type JsonObject } from "./strict-json.ts";

/** One member for each operation, so that a `switch` or a table over `operation` knows the fields. */
export type AnyRequest = { [Name in OperationName]: ParsedRequest<Name> }[OperationName];

export type ReadRequest =
  | { readonly kind: "request"; readonly id: RequestId | undefined; readonly request: AnyRequest }
  | {
      readonly kind: "refused";
      readonly id: RequestId | undefined;
      readonly code: "INVALID_REQUEST" | "UNSUPPORTED_OPERATION";
      readonly message: string;
    };

/** Reads one line. Never throws for what a client may send. */
export function readRequest(line: Buffer): ReadRequest {
  let fields: JsonObject;
  try {
    fields = parseJsonWithBytes(line, REQUEST_BOUNDS);
  } catch (error) {
    if (error instanceof InvalidJson) return refused(requestId.safeParse(error.id).data, error.message);
    throw error;
  }
  const id = Object.hasOwn(fields, "id") ? requestId.safeParse(fields.id) : undefined;
  if (id !== undefined && !id.success)
    return refused(
      undefined,
      `id: expected text of at most 256 characters or a whole number, received ${givenText(fields.id)}`,
    );
  const name = Object.hasOwn(fields, "operation") ? fields.operation : undefined;
  if (typeof name !== "string") {
    const given = name === undefined ? "but it is missing" : `received ${givenText(name)}`;
    return refused(id?.data, `operation: expected the name of an operation, ${given}`);
  }
  if (!isOperationName(name)) {
    return {
      kind: "refused",
      id: id?.data,
      code: "UNSUPPORTED_OPERATION",
      message: `there is no operation ${givenText(name)}; hello lists them`,
    };
  }
  const parsed = parse(OPERATIONS[name].request as z.ZodType<AnyRequest>, fields);
  if (parsed.success) return { kind: "request", id: id?.data, request: parsed.data };
  return refused(id?.data, parsed.problem);
}

function refused(id: RequestId | undefined, message: string): ReadRequest {
  return { kind: "refused", id, code: "INVALID_REQUEST", message };
}
