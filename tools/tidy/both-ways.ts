/** Two lists that must name the same things, such as a table in the code and the headings of a page. */

export interface List {
  /** Where it stands, for the reader of a problem. */
  readonly at: string;
  readonly names: Iterable<string>;
}

/** One sentence for each name that only one of the lists has. */
export function missingEitherWay(what: string, one: List, other: List): string[] {
  const [first, second] = [new Set(one.names), new Set(other.names)];
  return [
    ...[...first]
      .filter((name) => !second.has(name))
      .map((name) => `${other.at}: ${what} ${name} of ${one.at} is missing`),
    ...[...second]
      .filter((name) => !first.has(name))
      .map((name) => `${other.at}: ${what} ${name} is not in ${one.at}`),
  ];
}
