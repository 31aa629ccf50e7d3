/** From a line to a request that a handler can trust, or to the sentence that says what is wrong with it. */
import type { z } from "zod";
import { parseJsonWithBytes } from "./long-bytes.ts";
import { type RequestId, requestId } from "./operation.ts";
import { isOperationName, OPERATIONS, type OperationName, type ParsedRequest } from "./operations.ts";
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
    fields = parseJsonWithBytes(line);
  } catch (error) {
    if (error instanceof InvalidJson) return refused(requestId.safeParse(error.id).data, error.message);
    throw error;
  }
  const id = Object.hasOwn(fields, "id") ? requestId.safeParse(fields.id) : undefined;
  if (id !== undefined && !id.success)
    return refused(undefined, "id: expected a string of at most 256 characters or an integer");
  const name = Object.hasOwn(fields, "operation") ? fields.operation : undefined;
  if (typeof name !== "string") return refused(id?.data, "operation: expected the name of an operation");
  if (!isOperationName(name)) {
    const shown = JSON.stringify(name.slice(0, 64));
    return {
      kind: "refused",
      id: id?.data,
      code: "UNSUPPORTED_OPERATION",
      message: `there is no operation ${shown}; hello lists them`,
    };
  }
  const parsed = OPERATIONS[name].request.safeParse(fields);
  if (parsed.success) return { kind: "request", id: id?.data, request: parsed.data };
  return refused(id?.data, describeIssues(parsed.error, fields));
}

function refused(id: RequestId | undefined, message: string): ReadRequest {
  return { kind: "refused", id, code: "INVALID_REQUEST", message };
}

const ISSUES_SHOWN_MAX = 3;
/** Room for the longest list of names that one field takes. */
const DESCRIPTION_CHARACTERS_MAX = 2_000;

/** Names each field of `input` and what was expected of it: `partition: expected int, received string`. */
export function describeIssues(error: z.ZodError, input: unknown): string {
  const issues = error.issues.filter((issue, place) => !isSaidAgain(issue, error.issues.slice(place + 1)));
  const shown = issues.slice(0, ISSUES_SHOWN_MAX).map((issue) => {
    const path = issue.path.map(String).join(".");
    const said = lowerFirst(issue.message);
    return `${path === "" ? "" : `${path}: `}${isMissing(issue, input) ? missing(said) : said}`;
  });
  const more = issues.length - shown.length;
  return shown.join("; ").slice(0, DESCRIPTION_CHARACTERS_MAX) + (more > 0 ? `; and ${more} more` : "");
}

/** A whole number is bound by what JSON holds and by what the field takes: the last to say so is the field's own. */
function isSaidAgain({ code, path }: z.core.$ZodIssue, later: readonly z.core.$ZodIssue[]): boolean {
  if (code !== "too_big" && code !== "too_small") return false;
  return later.some((issue) => issue.code === code && issue.path.join() === path.join());
}

/** Where the path of a wrong type, or of none of several values, ends in nothing. */
function isMissing({ code, path }: z.core.$ZodIssue, input: unknown): boolean {
  if (path.length === 0 || !["invalid_type", "invalid_value", "invalid_union"].includes(code)) return false;
  let value = input;
  for (const name of path) {
    if (typeof value !== "object" || value === null) return false;
    value = (value as { readonly [name: PropertyKey]: unknown })[name];
  }
  return value === undefined;
}

function missing(said: string): string {
  return `${said.replace(/, received undefined$/, "")}, but it is missing`;
}

function lowerFirst(text: string): string {
  return text.replace(/^Invalid input: /, "").replace(/^./, (first) => first.toLowerCase());
}
