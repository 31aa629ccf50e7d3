/**
 * Every place where the evidence cites tests.
 *
 * @typedef {{ path: string, id: string, file: string, names: readonly string[] | "all", maySkip: string | null }} Citation
 */

/**
 * @param {import("./read.mjs").Evidence} evidence
 * @returns {{ path: string, id: string, tests?: import("./read.mjs").Tests | undefined, may_skip?: string | string[] | undefined }[]}
 *   those that may cite tests, in the order of the files
 */
export function rowsOf({ behavior, kafka }) {
  return [...behavior, ...kafka].flatMap(([path, { rows }]) => rows.map((row) => ({ path, ...row })));
}

/**
 * @param {import("./read.mjs").Evidence} evidence
 * @returns {Citation[]} by row, in the order of the files
 */
export function citationsOf(evidence) {
  return rowsOf(evidence).flatMap(({ path, id, tests = {}, may_skip: reasons = [] }) => {
    const maySkip = [reasons].flat().join(" or ") || null;
    return Object.entries(tests).map(([file, names]) => ({ path, id, file, names, maySkip }));
  });
}
