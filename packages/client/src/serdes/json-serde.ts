/** Data as JSON in UTF-8, checked by a schema if one is given. */
import type { Deserializer, Serializer } from "./serde.ts";
import { checked, requireSchema, type StandardSchema } from "./standard-schema.ts";

/**
 * With a schema the data is checked before it is sent, and goes as it was given: what a schema takes is what travels, what it makes of
 * that is what the deserializer with the same schema hands out. Throws USAGE for what is no schema.
 */
export function jsonSerializer<Input = unknown>(schema?: StandardSchema<Input, unknown>): Serializer<Input> {
  requireSchema("jsonSerializer", schema);
  return (data) => {
    if (schema !== undefined) checked(schema, data);
    const json: string | undefined = JSON.stringify(data);
    if (json === undefined) throw new TypeError(`${typeof data} has no JSON`);
    return json;
  };
}

/** Without a schema nothing is checked: `Output` is the caller's word. Bytes that are no UTF-8, or no JSON, are refused. */
export function jsonDeserializer<Output = unknown>(
  schema?: StandardSchema<unknown, Output>,
): Deserializer<Output> {
  requireSchema("jsonDeserializer", schema);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return (bytes) => {
    const data: unknown = JSON.parse(decoder.decode(bytes));
    // What the schema makes of it is of its type; without one the caller has said so.
    return (schema === undefined ? data : checked(schema, data)) as Output;
  };
}
