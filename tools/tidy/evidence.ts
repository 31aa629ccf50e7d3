/**
 * docs/evidence leads from each promise to its proof. That a proof's file and tests are there is seen here, without running
 * anything; that they passed is seen at the end of `npm test` (tools/evidence/proofs.mjs).
 */
import type { SourceFile } from "typescript/unstable/ast";
import { isNoSubstitutionTemplateLiteral, isStringLiteral } from "typescript/unstable/ast";
import { citationsOf } from "../evidence/citations.mjs";
import { evidenceOf } from "../evidence/read.mjs";
import { nodesUnder } from "./syntax.ts";
import type { Rule } from "./workspace.ts";

/** Texts that can be a test's name; a name built of parts is known by none of them, and is to be cited by its file. */
function textsIn(source: SourceFile): Set<string> {
  const texts = [...nodesUnder(source)].flatMap((node) =>
    isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? [node.text] : [],
  );
  return new Set(texts);
}

/** The form, the ids, and what refers to what. */
export const evidenceIsWellFormed: Rule = ({ files }) => evidenceOf(files).problems;

export const evidenceCitesTests: Rule = ({ files, sources }) => {
  const { evidence } = evidenceOf(files);
  if (evidence === null) return [];
  return citationsOf(evidence).flatMap(({ path, id, file, names }) => {
    const source = sources.get(file);
    if (source === undefined) return [`${path}: ${id}: there is no test file ${file}`];
    if (names === "all") return [];
    const known = textsIn(source);
    const gone = names.filter((name) => !known.has(name));
    return gone.map((name) => `${path}: ${id}: ${file} has no test "${name}"`);
  });
};
