/**
 * Whether the tests that the evidence cites have passed, by the reports that a run of all tests has left.
 *
 * @typedef {import("./citations.mjs").Citation} Citation
 * @typedef {import("./read.mjs").Evidence} Evidence
 * @typedef {{ ancestorTitles: string[], title: string, status: string }} Assertion
 * @typedef {{ name: string, status: string, assertionResults: Assertion[] }} TestFile
 * @typedef {{ directory: string, report: { testResults: TestFile[] } }} Ran the tests of one package, by its folder
 * @typedef {{ title: string, rows: number, cited: number, passed: number, skipped: number }} PageProofs
 * @typedef {{ problems: string[], pages: PageProofs[], skips: Map<string, Set<Assertion>> }} Proofs
 */
import { citationsOf } from "./citations.mjs";

/**
 * Names of tests as they stand in the source may have places for values: "%s", "%#", "$name", "$name.first".
 * @param {string} name
 * @returns {RegExp}
 */
function patternOf(name) {
  const parts = name.split(/%[sdifjoOcp#$]|\$\w+(?:\.\w+)*/);
  const literal = parts.map((part) => part.replaceAll("%%", "%").replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join("[^]*")}$`);
}

/**
 * @param {readonly Ran[]} ran
 * @param {string} file from the root
 * @returns {TestFile | null}
 */
function ranFile(ran, file) {
  // A report from turbo's cache may have been written where the repository lay before: only the end of a path counts.
  /** @param {TestFile} file */
  const isIt = ({ name }) => name.replaceAll("\\", "/").endsWith(`/${file}`);
  const ofItsPackage = ran.filter(({ directory }) => directory === "" || file.startsWith(`${directory}/`));
  return ofItsPackage.flatMap(({ report }) => report.testResults).find(isIt) ?? null;
}

/**
 * @param {TestFile} file
 * @param {string} name of a test, or of a group of them
 * @returns {Assertion[]}
 */
function testsNamed({ assertionResults }, name) {
  const pattern = patternOf(name);
  return assertionResults.filter(({ title, ancestorTitles }) =>
    [title, ...ancestorTitles].some((one) => pattern.test(one)),
  );
}

/** @param {Assertion} assertion */
function isSkipped({ status }) {
  return status !== "passed" && status !== "failed";
}

/**
 * @param {Assertion[]} tests
 * @param {string | null} maySkip
 * @returns {string | null} what is wrong with them as a proof
 */
function problemWith(tests, maySkip) {
  const failed = tests.find(({ status }) => status === "failed");
  if (failed !== undefined) return `"${failed.title}" failed`;
  const skipped = tests.find(isSkipped);
  if (skipped === undefined || maySkip !== null) return null;
  return `"${skipped.title}" was skipped; a row whose test may be says why under may_skip`;
}

/**
 * @param {readonly Ran[]} ran
 * @param {Citation} citation
 * @returns {{ tests: Assertion[], problems: string[] }}
 */
function follow(ran, { path, id, file, names, maySkip }) {
  const found = ranFile(ran, file);
  const place = `${path}: ${id}: ${file}`;
  if (found === null) return { tests: [], problems: [`${place} did not run`] };
  if (names === "all") {
    const tests = found.assertionResults;
    if (tests.length === 0 || (found.status === "failed" && tests.every(({ status }) => status !== "failed")))
      return { tests, problems: [`${place} could not be run`] };
    const problem = problemWith(tests, maySkip);
    return { tests, problems: problem === null ? [] : [`${place} ${problem}`] };
  }
  const each = names.map((name) => {
    const tests = testsNamed(found, name);
    const problem = tests.length === 0 ? `"${name}" did not run` : problemWith(tests, maySkip);
    return { tests, problems: problem === null ? [] : [`${place} ${problem}`] };
  });
  return { tests: each.flatMap(({ tests }) => tests), problems: each.flatMap(({ problems }) => problems) };
}

/**
 * @param {Evidence} evidence
 * @param {readonly Ran[]} ran the tests of all packages
 * @returns {Proofs}
 */
export function judgeProofs(evidence, ran) {
  /** @type {Map<string, Set<Assertion>>} */
  const skips = new Map();
  const followed = citationsOf(evidence).map((citation) => ({ citation, ...follow(ran, citation) }));
  for (const { citation, tests } of followed) {
    if (citation.maySkip === null) continue;
    const skipped = skips.get(citation.maySkip) ?? new Set();
    for (const one of tests.filter(isSkipped)) skipped.add(one);
    if (skipped.size > 0) skips.set(citation.maySkip, skipped);
  }
  const pages = [
    { title: evidence.pages.behavior_matrix.title, chapters: evidence.behavior },
    { title: evidence.pages.kafka_mapping.title, chapters: evidence.kafka },
  ].map(({ title, chapters }) => {
    const tests = new Set(
      followed.filter(({ citation }) => chapters.has(citation.path)).flatMap((one) => one.tests),
    );
    const rows = [...chapters.values()].reduce((sum, chapter) => sum + chapter.rows.length, 0);
    const passed = [...tests].filter(({ status }) => status === "passed").length;
    return { title, rows, cited: tests.size, passed, skipped: [...tests].filter(isSkipped).length };
  });
  return { problems: followed.flatMap(({ problems }) => problems), pages, skips };
}

const PROBLEMS_SHOWN = 30;

/**
 * @param {Proofs} proofs
 * @returns {string} what `npm test` shows of it
 */
export function proofsTable({ problems, pages, skips }) {
  const width = Math.max(...pages.map(({ title }) => title.length));
  const header = `${"Evidence".padEnd(width)}   rows  tests  passed  skipped`;
  const lines = pages.map(({ title, rows, cited, passed, skipped }) => {
    const numbers = [
      String(rows).padStart(6),
      String(cited).padStart(6),
      String(passed).padStart(7),
      String(skipped).padStart(8),
    ];
    return `${title.padEnd(width)} ${numbers.join(" ")}`;
  });
  const reasons = [...skips].map(([reason, tests]) => `${tests.size} skipped: ${reason}`);
  const shown = problems.slice(0, PROBLEMS_SHOWN);
  const more = problems.length > shown.length ? [`… and ${problems.length - shown.length} more`] : [];
  return [header, ...lines, ...reasons, ...shown, ...more].join("\n");
}
