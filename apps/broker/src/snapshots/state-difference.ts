/** Where two states of a cluster, as JSON, are not the same. */

export interface Difference {
  /** Names and indexes from the outside to the inside, as one would write them. */
  readonly path: string;
  /** Left out where there is nothing. */
  readonly from?: unknown;
  readonly to?: unknown;
}

/** In the order of the names. */
export function differencesOf(from: unknown, to: unknown, path = ""): Difference[] {
  if (isTree(from) && isTree(to) && Array.isArray(from) === Array.isArray(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    if (!Array.isArray(from)) names.sort();
    return names.flatMap((name) =>
      differencesOf(from[name], to[name], path === "" ? name : `${path}.${name}`),
    );
  }
  if (from === to) return [];
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}

type Tree = { readonly [name: string]: unknown };

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}
