/** The wire's names in the SDK's style: `log_end_offset` is `logEndOffset`. Types and values by the same rule. */

type CamelName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;

/** `Fields` with every name in camel case, also inside of objects and lists; bytes are bytes. Not for objects whose names are data. */
export type CamelCased<Fields> = Fields extends Buffer
  ? Fields
  : Fields extends readonly (infer Item)[]
    ? readonly CamelCased<Item>[]
    : Fields extends object
      ? {
          readonly [Name in keyof Fields as Name extends string ? CamelName<Name> : Name]: CamelCased<
            Fields[Name]
          >;
        }
      : Fields;

export function camelCased<Fields>(fields: Fields): CamelCased<Fields> {
  // The recursion renames keys that only a mapped type can name.
  return renamed(fields) as CamelCased<Fields>;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camelName(name), renamed(inner)]));
}

/** `roll_segment` as `rollSegment`. */
export function camelName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
