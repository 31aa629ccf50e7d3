import { expect, test } from "vitest";
import { evidenceCitesTests, evidenceIsWellFormed } from "./evidence.ts";
import { workspaceOf } from "./workspace.ts";

const TESTS = 'test("a torn tail is cut", () => {}); test(`an index is rebuilt`, () => {});';

const PAGES = `
behavior_matrix: { title: Behavior, introduction: Promises., chapters: [log] }
kafka_mapping: { title: Kafka, introduction: Beside it., chapters: [log] }
`;

const PROMISE = "{ id: recovered, text: A tail is cut., proof: [torn-tail] }";

interface Made {
  readonly promise?: string;
  readonly rows?: string;
  readonly kafka?: string;
  readonly files?: Readonly<Record<string, string>>;
}

const ROW = "{ id: torn-tail, text: A torn tail is cut., tests: { e2e/log.test.ts: all } }";
const KAFKA = "{ id: recovery, grade: equivalent, here: recovery, proof: [torn-tail] }";

function workspace({ promise = PROMISE, rows = ROW, kafka = KAFKA, files = {} }: Made) {
  return workspaceOf({
    "docs/evidence/pages.yaml": PAGES,
    "docs/evidence/promises.yaml": `title: P\nchapters:\n  - title: Log\n    rows:\n      - ${promise}\n`,
    "docs/evidence/behavior/log.yaml": `title: Log\nrows:\n  - ${rows}\n`,
    "docs/evidence/kafka/log.yaml": `title: Log\nrows:\n  - ${kafka}\n`,
    "e2e/log.test.ts": TESTS,
    ...files,
  });
}

function cited(tests: string): string[] {
  return evidenceCitesTests(workspace({ rows: `{ id: x, text: X., tests: ${tests} }` }));
}

test("a test file that is gone is found", () => {
  expect(cited("{ e2e/gone.test.ts: all }")).toEqual([
    "docs/evidence/behavior/log.yaml: x: there is no test file e2e/gone.test.ts",
  ]);
});

test("a test that is gone is found, in whatever place of the list it is cited", () => {
  expect(cited("{ e2e/log.test.ts: [a torn tail is cut, nothing is lost] }")).toEqual([
    'docs/evidence/behavior/log.yaml: x: e2e/log.test.ts has no test "nothing is lost"',
  ]);
});

test("a row of the mapping with a test that is gone is found", () => {
  const kafka = "{ id: y, grade: equivalent, here: Y, tests: { e2e/gone.test.ts: all } }";
  expect(evidenceCitesTests(workspace({ kafka }))).toEqual([
    "docs/evidence/kafka/log.yaml: y: there is no test file e2e/gone.test.ts",
  ]);
});

test("tests that are there are proofs", () => {
  expect(cited("{ e2e/log.test.ts: [a torn tail is cut, an index is rebuilt] }")).toEqual([]);
  expect(evidenceIsWellFormed(workspace({}))).toEqual([]);
  expect(evidenceIsWellFormed(workspace({ rows: `${ROW.slice(0, -1)}, may_skip: torn tail is }` }))).toEqual(
    [],
  );
  expect(evidenceIsWellFormed(workspace({ kafka: "{ id: y, grade: missing, here: Y }" }))).toEqual([]);
});

test.for([
  [
    "a row without a test",
    { rows: "{ id: x, text: X., tests: {} }" },
    "behavior/log.yaml: x, tests: a promise without",
  ],
  [
    "a field that nobody knows",
    { rows: `${ROW.slice(0, -1)}, test: y }` },
    "behavior/log.yaml: torn-tail: Unrecognized",
  ],
  [
    "a promise that no row keeps",
    { promise: PROMISE.replace("[torn-tail]", "[]") },
    "promises.yaml: recovered, proof: a promise that",
  ],
  [
    "a promise that a row keeps which is gone",
    { promise: PROMISE.replace("torn-tail", "gone") },
    "promises.yaml: recovered: no row of the matrix",
  ],
  [
    "a comparison without a proof",
    { kafka: "{ id: y, grade: different, here: Y }" },
    "kafka/log.yaml: y: no proof",
  ],
  [
    "a skip whose reason no test says",
    { rows: `${ROW.slice(0, -1)}, may_skip: no disk }` },
    "behavior/log.yaml: torn-tail: none of its test files says",
  ],
  [
    "a grade that is none",
    { kafka: "{ id: y, grade: alike, here: Y, proof: [torn-tail] }" },
    "kafka/log.yaml: y, grade: ",
  ],
  [
    "an id that stands twice",
    { kafka: KAFKA.replace("recovery", "torn-tail") },
    "kafka/log.yaml: torn-tail: this id stands in",
  ],
  [
    "a proof that is no row",
    { kafka: KAFKA.replace("[torn-tail]", "[gone]") },
    "kafka/log.yaml: recovery: no row of the matrix",
  ],
  [
    "a file that is not named",
    { files: { "docs/evidence/kafka/new.yaml": "title: New" } },
    "kafka/new.yaml: name it in",
  ],
  [
    "a test file that stands twice in a row",
    { rows: ROW.replace("all }", "all, e2e/log.test.ts: all }") },
    "behavior/log.yaml: Map keys must be unique",
  ],
] satisfies [string, Made, string][])("%s is found", ([, made, problem]) => {
  expect(evidenceIsWellFormed(workspace(made))).toEqual([expect.stringContaining(problem)]);
});

test("without its list of chapters, and without its promises, there is no evidence", () => {
  const problems = ["pages.yaml", "promises.yaml"].map(
    (name) => `docs/evidence/${name}: there is no such file`,
  );
  expect(evidenceIsWellFormed(workspaceOf({}))).toEqual(problems);
  expect(evidenceCitesTests(workspaceOf({}))).toEqual([]);
});
