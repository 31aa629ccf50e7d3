/**
 * docs/evidence leads from each promise to its proof. That a proof's file and tests are there is seen here, without running
 * anything; that they passed is seen at the end of `npm test` (tools/evidence/proofs.mjs).
 */
import type { SourceFile } from "typescript/unstable/ast";
import { isNoSubstitutionTemplateLiteral, isStringLiteral } from "typescript/unstable/ast";
import { citationsOf, rowsOf } from "../evidence/citations.mjs";
import { type Evidence, evidenceOf } from "../evidence/read.mjs";
import { nodesUnder } from "./syntax.ts";
import type { Rule, Workspace } from "./workspace.ts";

/** Texts that can be a test's name; a name built of parts is known by none of them, and is to be cited by its file. */
function textsIn(source: SourceFile): Set<string> {
  const texts = [...nodesUnder(source)].flatMap((node) =>
    isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? [node.text] : [],
  );
  return new Set(texts);
}

/** A row that may skip its tests says why in words that one of them says as well. */
function unsaidSkips(evidence: Evidence, { files }: Workspace): string[] {
  return rowsOf(evidence).flatMap(({ path, id, tests = {}, may_skip: reasons = [] }) => {
    const isSaid = (reason: string) => Object.keys(tests).some((file) => files.get(file)?.includes(reason));
    const unsaid = [reasons].flat().filter((reason) => !isSaid(reason));
    return unsaid.map(
      (reason) => `${path}: ${id}: none of its test files says "${reason}", for which one may be skipped`,
    );
  });
}

/** The form, the ids, and what refers to what. */
export const evidenceIsWellFormed: Rule = (workspace) => {
  const { evidence, problems } = evidenceOf(workspace.files);
  return evidence === null ? problems : [...problems, ...unsaidSkips(evidence, workspace)];
};

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
