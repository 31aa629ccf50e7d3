/**
 * A JSON Schema, as rows of a table: one for each field, with the fields within it beneath.
 *
 * @typedef {import("zod").z.core.JSONSchema.BaseSchema} Schema
 * @typedef {{ name: string, type: string, presence: string, meaning: string }} Row
 */

/**
 * @param {Schema} schema
 * @returns {string} such as "integer, 0 to 600000"
 */
function integerType({ minimum, maximum }) {
  const low = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? null : minimum;
  const high = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? null : maximum;
  if (low !== null && high !== null) return `integer, ${low} to ${high}`;
  if (low !== null) return `integer, at least ${low}`;
  return high === null ? "integer" : `integer, at most ${high}`;
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
function plainType(schema) {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(" or ");
  if (schema.type === "integer") return integerType(schema);
  if (schema.type === "string" && schema.format === "base64") return "Base64";
  if (schema.type === "string" && schema.maxLength !== undefined)
    return `string, at most ${schema.maxLength} characters`;
  if (schema.type === "object" && schema.properties === undefined) return "object with names of your own";
  return typeof schema.type === "string" ? schema.type : "any JSON";
}

/** @param {unknown} value */
function code(value) {
  return `\`${JSON.stringify(value)}\``;
}

/**
 * @param {Schema} schema
 * @returns {Schema[]} the schemas that it is one of; itself, where it gives no choice
 */
function choices(schema) {
  const options = schema.anyOf ?? schema.oneOf;
  return options === undefined
    ? [schema]
    : options.flatMap((option) => choices(/** @type {Schema} */ (option)));
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
function typeOf(schema) {
  const names = choices(schema).map((choice) => {
    if (choice.type !== "array") return plainType(choice);
    return `array of ${typeOf(itemOf(choice))}${sizeOf(choice)}`;
  });
  return [...new Set(names)].join(" or ");
}

/**
 * @param {Schema} array
 * @returns {string} such as ", 1 to 10000 entries"
 */
function sizeOf({ minItems: min = 0, maxItems: max }) {
  if (max === undefined) return "";
  return min === 0 ? `, at most ${max} entries` : `, ${min} to ${max} entries`;
}

/**
 * @param {Schema} array
 * @returns {Schema}
 */
function itemOf(array) {
  return typeof array.items === "object" && !Array.isArray(array.items)
    ? /** @type {Schema} */ (array.items)
    : {};
}

/**
 * The fields inside of a field, with their full names such as `records[].key_b64`.
 * @param {string} name
 * @param {Schema} schema
 * @returns {Row[]}
 */
function rowsWithin(name, schema) {
  const shapes = choices(schema).filter(({ type }) => type === "object" || type === "array");
  return shapes.flatMap((shape, index) => {
    const or = index === 0 ? [] : [{ name: `${name}`, type: "or instead", presence: "", meaning: "" }];
    const inner =
      shape.type === "array" ? rowsWithin(`${name}[]`, itemOf(shape)) : fieldRows(shape, `${name}.`);
    return [...or, ...inner];
  });
}

/**
 * @param {Schema} schema of an object
 * @param {string} [prefix] of the names
 * @returns {Row[]}
 */
export function fieldRows(schema, prefix = "") {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const field = /** @type {Schema} */ (value);
    const optional = field.default === undefined ? "optional" : code(field.default);
    const row = {
      name: prefix + key,
      type: typeOf(field),
      presence: required.has(key) ? "required" : optional,
      meaning: field.description ?? "",
    };
    return [row, ...rowsWithin(row.name, field)];
  });
}
