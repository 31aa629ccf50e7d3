/**
 * Every place where the evidence cites tests.
 *
 * @typedef {{ path: string, id: string, file: string, names: readonly string[] | "all", maySkip: string | null }} Citation
 */

/**
 * @param {import("./read.mjs").Evidence} evidence
 * @returns {Citation[]} by row, in the order of the files
 */
export function citationsOf({ behavior, kafka }) {
  return [...behavior, ...kafka].flatMap(([path, { rows }]) =>
    rows.flatMap(({ id, tests = {}, may_skip: maySkip = null }) =>
      Object.entries(tests).map(([file, names]) => ({ path, id, file, names, maySkip })),
    ),
  );
}
