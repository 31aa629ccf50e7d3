/**
 * docs/behavior-matrix.md leads from each promise to its proof. A proof is written as the path of a test file in backticks,
 * and after it, where it is meant more closely, names of its tests in double quotes:
 * `packages/record/src/batch.test.ts` "a batch keeps the order of its records"
 */
import type { SourceFile } from "typescript/unstable/ast";
import { isNoSubstitutionTemplateLiteral, isStringLiteral } from "typescript/unstable/ast";
import { proseLines } from "./markdown.ts";
import { nodesUnder } from "./syntax.ts";
import type { Rule } from "./workspace.ts";

const MATRIX = "docs/behavior-matrix.md";
const CITED = /`([^`]+\.test\.ts)`((?:[\s,;:›]*(?:and\s+)?"[^"]+")*)/g;

/** Texts that can be a test's name; a name built of parts is known by none of them, and is to be cited by its file. */
function textsIn(source: SourceFile): Set<string> {
  const texts = [...nodesUnder(source)].flatMap((node) =>
    isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? [node.text] : [],
  );
  return new Set(texts);
}

export const matrixCitesTests: Rule = ({ files, sources }) =>
  proseLines(files.get(MATRIX) ?? "").flatMap(({ number, text }) =>
    [...text.matchAll(CITED)].flatMap(([, path = "", names = ""]) => {
      const source = sources.get(path);
      if (source === undefined) return [`${MATRIX}:${number}: there is no test file ${path}`];
      const known = textsIn(source);
      const cited = [...names.matchAll(/"([^"]+)"/g)].map((match) => String(match[1]));
      const gone = cited.filter((name) => !known.has(name));
      return gone.map((name) => `${MATRIX}:${number}: ${path} has no test "${name}"`);
    }),
  );

/** A matrix that cites nothing proves nothing. */
export const matrixHasProofs: Rule = ({ files }) =>
  [...(files.get(MATRIX) ?? "").matchAll(CITED)].length > 0 ? [] : [`${MATRIX}: no test file is cited in it`];
