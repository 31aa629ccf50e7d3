/**
 * What checks data and says its type: any library's schema that follows Standard Schema (standardschema.dev), such as one of zod,
 * valibot or arktype. None of them is needed, nor is the specification's own package: only what is called stands here.
 */
import { inspect } from "node:util";
import { isUnawaited } from "@minikafka/record";
import { usageError } from "../usage.ts";

/** What is wrong, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The data in its type, or what is wrong with it. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** `Input` is what it takes, and what travels as JSON; `Output` what it makes of that. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    /** There for the types alone. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Throws USAGE for what is no schema, where it is given and not at the first record. It may be a function, as arktype's are. */
export function requireSchema(what: string, schema: unknown): void {
  if (schema === undefined || typeof Object(schema)["~standard"]?.validate === "function") return;
  throw usageError(
    `${what} takes a schema that follows Standard Schema, got ${inspect(schema, { depth: 0 })}`,
  );
}

/** What `schema` makes of `data`. Throws a TypeError that says what is wrong with it, and where. */
export function checked(schema: StandardSchema, data: unknown): unknown {
  const result = schema["~standard"].validate(data);
  if (isUnawaited(result))
    throw new TypeError("the schema checks asynchronously, and what is (de)serialized is not waited for");
  if (result.issues === undefined) return result.value;
  throw new TypeError(result.issues.map(shown).join("; ") || "the schema refuses it, and does not say why");
}

function shown({ message, path = [] }: StandardIssue): string {
  const steps = path.map((step) => String(typeof step === "object" ? step.key : step));
  return steps.length === 0 ? message : `${steps.join(".")}: ${message}`;
}
