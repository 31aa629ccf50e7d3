import { expect, test } from "vitest";
import { judgeProofs, proofsTable } from "./proofs.mjs";
import { evidenceOf } from "./read.mjs";

const PAGES = `
behavior_matrix: { title: Behavior matrix, introduction: Promises., chapters: [log] }
kafka_mapping: { title: Mapping, introduction: Beside it., chapters: [log] }
`;

function evidence(row: string, kafka = "proof: [x]") {
  const read = evidenceOf(
    new Map([
      ["docs/evidence/pages.yaml", PAGES],
      [
        "docs/evidence/promises.yaml",
        "title: P\nchapters: [{ title: L, rows: [{ id: p, text: P., proof: [x] }] }]",
      ],
      ["docs/evidence/behavior/log.yaml", `title: Log\nrows: [{ id: x, text: X., ${row} }]`],
      ["docs/evidence/kafka/log.yaml", `title: Log\nrows: [{ id: y, grade: equivalent, here: Y, ${kafka} }]`],
    ]),
  );
  if (read.evidence === null || read.problems.length > 0) throw new Error(read.problems.join("\n"));
  return read.evidence;
}

type Titles = Readonly<Record<string, "passed" | "failed" | "skipped" | "todo" | "pending">>;

/** "a > b" is the test b in the group a. */
function file(name: string, titles: Titles, status = "passed") {
  const assertionResults = Object.entries(titles).map(([full, result]) => {
    const path = full.split(" > ");
    return { ancestorTitles: path.slice(0, -1), title: String(path.at(-1)), status: result };
  });
  return { name: `/somewhere/else/${name}`, status, assertionResults };
}

const LOG = "packages/core/test/log.test.ts";

function problems(row: string, titles: Titles, status?: string): string[] {
  const ran = [{ directory: "packages/core", report: { testResults: [file(LOG, titles, status)] } }];
  return judgeProofs(evidence(row), ran).problems;
}

const PLACE = "docs/evidence/behavior/log.yaml: x: packages/core/test/log.test.ts";

test("a row whose tests have passed is proven, wherever the repository lay when they ran", () => {
  expect(problems(`tests: { ${LOG}: [a, b] }`, { a: "passed", b: "passed", c: "failed" })).toEqual([]);
  expect(problems(`tests: { ${LOG}: all }`, { a: "passed", b: "passed" })).toEqual([]);
});

test("a test that did not run is caught, and so is a file that did not", () => {
  expect(problems(`tests: { ${LOG}: [a, gone] }`, { a: "passed" })).toEqual([`${PLACE} "gone" did not run`]);
  expect(problems(`tests: { ${LOG}: all }`, {})).toEqual([`${PLACE} could not be run`]);
  expect(judgeProofs(evidence(`tests: { ${LOG}: [a] }`), []).problems).toEqual([`${PLACE} did not run`]);
});

test("a file of the same name in another package proves nothing", () => {
  const ran = [
    { directory: "e2e", report: { testResults: [file(`e2e/${LOG}`, { a: "passed" })] } },
    {
      directory: "packages/core",
      report: { testResults: [file("packages/core/test/other-log.test.ts", { a: "passed" })] },
    },
  ];
  expect(judgeProofs(evidence(`tests: { ${LOG}: [a] }`), ran).problems).toEqual([`${PLACE} did not run`]);
});

test("a test that failed is caught, alone and in its file, and so is a file that could not be loaded", () => {
  expect(problems(`tests: { ${LOG}: [a] }`, { a: "failed" })).toEqual([`${PLACE} "a" failed`]);
  expect(problems(`tests: { ${LOG}: all }`, { a: "passed", b: "failed" })).toEqual([`${PLACE} "b" failed`]);
  expect(problems(`tests: { ${LOG}: all }`, { a: "skipped" }, "failed")).toEqual([
    `${PLACE} could not be run`,
  ]);
});

test.for(["skipped", "todo", "pending"] as const)(
  "a test that is %s is caught where its row does not say why",
  (status) => {
    const why = "was skipped; a row whose test may be says why under may_skip";
    expect(problems(`tests: { ${LOG}: [a] }`, { a: status })).toEqual([`${PLACE} "a" ${why}`]);
    expect(problems(`tests: { ${LOG}: all }`, { a: "passed", b: status })).toEqual([`${PLACE} "b" ${why}`]);
  },
);

test("a row that says why may have its test skipped, and not failed", () => {
  const row = `tests: { ${LOG}: [a, b] }, may_skip: kcat is not installed`;
  expect(problems(row, { a: "skipped", b: "passed" })).toEqual([]);
  expect(problems(row, { a: "skipped", b: "failed" })).toEqual([`${PLACE} "b" failed`]);
});

test("a name with places for values means each test that was made of it, and one at least", () => {
  const row = `tests: { ${LOG}: ["a crash before %s (%d %%) of $disk.name leaves it"] }`;
  const made = "a crash before a write (50 %) of sda leaves it";
  expect(problems(row, { [made]: "passed", "a crash": "failed" })).toEqual([]);
  expect(
    problems(row, { [made]: "passed", "a crash before a sync (1 %) of sdb leaves it": "failed" }),
  ).toEqual([`${PLACE} "a crash before a sync (1 %) of sdb leaves it" failed`]);
  expect(problems(row, { "a crash before nothing leaves it": "passed" })).toHaveLength(1);
});

test("the name of a group means all of its tests", () => {
  const row = `tests: { ${LOG}: [a torn tail] }`;
  expect(
    problems(row, { "a torn tail > is cut": "passed", "a torn tail > is told": "passed", other: "failed" }),
  ).toEqual([]);
  expect(problems(row, { "a torn tail > is cut": "passed", "a torn tail > is told": "failed" })).toHaveLength(
    1,
  );
});

test("a test that a row of the mapping cites is judged like any other", () => {
  const ran = [
    { directory: "packages/core", report: { testResults: [file(LOG, { a: "passed", b: "failed" })] } },
  ];
  const { problems } = judgeProofs(evidence(`tests: { ${LOG}: [a] }`, `tests: { ${LOG}: [b] }`), ran);
  expect(problems).toEqual([`docs/evidence/kafka/log.yaml: y: ${LOG} "b" failed`]);
});

test("the table counts rows, tests once each, and what was skipped by its reason; then comes what does not hold", () => {
  const titles: Titles = { a: "passed", b: "skipped", c: "failed" };
  const ran = [{ directory: "packages/core", report: { testResults: [file(LOG, titles)] } }];
  const made = evidence(
    `tests: { ${LOG}: [a, b, a] }, may_skip: kcat is not installed`,
    `tests: { ${LOG}: [c] }`,
  );
  expect(proofsTable(judgeProofs(made, ran)).split("\n")).toEqual([
    "Evidence          rows  tests  passed  skipped",
    "Behavior matrix      1      2       1        1",
    "Mapping              1      1       0        0",
    "1 skipped: kcat is not installed",
    `docs/evidence/kafka/log.yaml: y: ${LOG} "c" failed`,
  ]);
});
