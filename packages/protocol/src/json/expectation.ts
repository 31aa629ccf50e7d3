/**
 * What a schema takes, in the words of a refusal: `expected a whole number from 0 to 32767`. A validator's own words name its types and
 * one bound at a time; these come from all that the schema says of itself. A schema's own `error` goes before them.
 */
import { nearest } from "@minikafka/record";
import { z } from "zod";

type Issue = z.core.$ZodRawIssue;
type Described = z.core.JSONSchema.BaseSchema;

/** By schema: a request of thousands of records may be wrong in each of them in the same way. */
const KNOWN = new WeakMap<object, string>();
const KNOWN_NAMES = new WeakMap<object, string>();

/** For zod's `error`, where a value is parsed. */
export function issueText(issue: Issue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return `no such field; known are ${namesOf(issue.schema)}`;
    case "invalid_key":
      return `its name: ${firstOf(issue.issues)}`;
    case "invalid_element":
      return `one of its entries: ${firstOf(issue.issues)}`;
    case "invalid_format":
      return `expected ${formatText(issue)}`;
    case "invalid_union":
      return `expected ${unionText(issue)}`;
    case "invalid_value":
      return `expected ${either(issue.values.map(valueText))}${meantOf(issue)}`;
    default:
      return `expected ${issue.code === "custom" ? "another value" : expectationOf(issue.schema)}`;
  }
}

/** A word is easily written otherwise, as close-after is of close_after. */
function meantOf({ input, values }: Extract<Issue, { code: "invalid_value" }>): string {
  const words = values.filter((value) => typeof value === "string");
  const meant = typeof input === "string" ? nearest(input, words) : null;
  return meant === null ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
}

function firstOf(issues: readonly { readonly message: string }[]): string {
  return issues[0]?.message ?? "expected another one";
}

function namesOf(schema: z.core.$ZodType | undefined): string {
  if (schema === undefined) return "";
  let text = KNOWN_NAMES.get(schema);
  if (text === undefined) {
    text = Object.keys(describedBy(schema).properties ?? {}).join(", ");
    KNOWN_NAMES.set(schema, text);
  }
  return text;
}

function unionText(issue: Extract<Issue, { code: "invalid_union" }>): string {
  if (issue.inclusive === false) return `what is only one of ${expectationOf(issue.schema)}`;
  const { options } = issue;
  return options === undefined ? expectationOf(issue.schema) : either(options.map(valueText));
}

function formatText(issue: Extract<Issue, { code: "invalid_format" }>): string {
  const part = (name: string) => JSON.stringify((issue as { readonly [name: string]: unknown })[name]);
  switch (issue.format) {
    case "starts_with":
      return `text that begins with ${part("prefix")}`;
    case "ends_with":
      return `text that ends with ${part("suffix")}`;
    case "includes":
      return `text with ${part("includes")} in it`;
    case "regex":
      return `text that matches ${issue.pattern}`;
    default:
      return `text of the form ${issue.format}`;
  }
}

function expectationOf(schema: z.core.$ZodType | undefined): string {
  if (schema === undefined) return "another value";
  let text = KNOWN.get(schema);
  if (text === undefined) {
    text = either(alternativesOf(describedBy(schema)));
    KNOWN.set(schema, text);
  }
  return text;
}

function describedBy(schema: z.core.$ZodType): Described {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function alternativesOf(described: Described): string[] {
  const { anyOf, oneOf, enum: values, const: value, type } = described;
  const among = anyOf ?? oneOf;
  if (among !== undefined) return among.flatMap((each) => alternativesOf(each as Described));
  if (values !== undefined) return values.map(valueText);
  if (value !== undefined) return [valueText(value)];
  if (Array.isArray(type)) return type.flatMap((each) => alternativesOf({ ...described, type: each }));
  switch (type) {
    case "string":
      return [withSize("text", "character", described.minLength, described.maxLength)];
    case "array":
      return [withSize("a list", "entry", described.minItems, described.maxItems)];
    case "integer":
    case "number":
      return [numberText(described)];
    case "boolean":
      return ["true", "false"];
    case "object":
      return ["an object"];
    case "null":
      return ["null"];
    default:
      return ["another value"];
  }
}

function withSize(
  what: string,
  unit: "character" | "entry",
  min: number | undefined,
  max: number | undefined,
) {
  const counted = (size: number) =>
    `${size} ${size === 1 ? unit : unit === "entry" ? "entries" : "characters"}`;
  if (min === undefined) return max === undefined ? what : `${what} of at most ${counted(max)}`;
  if (max === undefined)
    return min === 1 ? `${what} that is not empty` : `${what} of at least ${counted(min)}`;
  return min === max ? `${what} of ${counted(max)}` : `${what} of ${min} to ${counted(max)}`;
}

function numberText({ type, minimum, maximum, ...more }: Described): string {
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = more;
  const what = type === "integer" ? "a whole number" : "a number";
  const bounds = [
    minimum !== undefined && maximum !== undefined ? `from ${minimum} to ${maximum}` : null,
    minimum !== undefined && maximum === undefined ? `of at least ${minimum}` : null,
    above === undefined ? null : `above ${above}`,
    minimum === undefined && maximum !== undefined ? `up to ${maximum}` : null,
    below === undefined ? null : `below ${below}`,
    multipleOf === undefined ? null : `divisible by ${multipleOf}`,
  ].filter((bound) => bound !== null);
  return [what, bounds.join(" and ")].filter((part) => part !== "").join(" ");
}

function valueText(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** `a, b or c`, each once. */
function either(alternatives: readonly string[]): string {
  const each = [...new Set(alternatives)];
  const last = each.pop() ?? "nothing";
  return each.length === 0 ? last : `${each.join(", ")} or ${last}`;
}
