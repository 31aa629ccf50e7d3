import { expect, test } from "vitest";
import { type Difference, differences, judge, merged, partings, type Step } from "./compare.ts";

function step(name: string, outcome: Step["outcome"], version = 1): Step {
  return { scenario: "produce", step: name, api: "Produce", version, outcome };
}

test("equal answers do not part, and others part where they do, as deep as both have names", () => {
  const one = { a: { b: [1, { c: "x" }], d: null } };
  expect(partings(one, structuredClone(one))).toEqual([]);
  expect(partings(one, { a: { b: [1, { c: "y" }], e: 2 } })).toEqual([
    { path: "a.b[1].c", ours: "x", kafka: "y" },
    { path: "a.d", ours: "null", kafka: "(nothing)" },
    { path: "a.e", ours: "(nothing)", kafka: "2" },
  ]);
});

test("lists of different lengths part as a whole", () => {
  expect(partings({ a: [1] }, { a: [1, 2] })).toEqual([{ path: "a", ours: "[1]", kafka: "[1,2]" }]);
});

test("a step that one side alone came to is a difference", () => {
  expect(differences([step("first", 1), step("second", 2)], [step("first", 1)])).toMatchObject([
    { step: "second", path: "", ours: "2", kafka: "(nothing)" },
  ]);
  expect(differences([], [step("first", { a: 1 })])).toMatchObject([{ step: "first", kafka: '{"a":1}' }]);
});

test("the same difference in two versions is one, with both of them", () => {
  const inVersion = (version: number) =>
    differences([step("s", { a: 1 }, version)], [step("s", { a: 2 }, version)]);
  expect(merged([...inVersion(3), ...inVersion(11)])).toMatchObject([{ path: "a", versions: [3, 11] }]);
  const other = differences([step("s", { a: 1 }, 11)], [step("s", { a: 3 }, 11)]);
  expect(merged([...inVersion(3), ...other])).toHaveLength(2);
});

const DIFFERENCE: Difference = {
  ...{ scenario: "produce", step: "magic 0", api: "Produce", versions: [3] },
  ...{ path: "responses.t.errorCode", ours: "A", kafka: "B" },
};

test("an expectation fits what it names, and whatever it leaves out", () => {
  for (const fitting of [
    { scenario: "produce" },
    { scenario: "*" },
    { scenario: "prod*", step: "magic*", path: "*.errorCode", ours: "A", kafka: "B" },
  ]) {
    const { unexpected, expected, idle } = judge([DIFFERENCE], [{ ...fitting, reason: "because" }]);
    expect({ unexpected, idle }).toEqual({ unexpected: [], idle: [] });
    expect(expected).toMatchObject([{ step: "magic 0", reason: "because" }]);
  }
});

test("an expectation that fits nothing is told as idle, and its difference as unexpected", () => {
  for (const unfitting of [
    { scenario: "fetch" },
    { scenario: "produce", step: "magic" },
    { scenario: "produce", path: "responses?t?errorCode" },
    { scenario: "produce", path: "responses.t" },
    { scenario: "produce", ours: "B" },
    { scenario: "produce", kafka: "A" },
  ]) {
    const expectation = { ...unfitting, reason: "because" };
    expect(judge([DIFFERENCE], [expectation])).toMatchObject({
      unexpected: [DIFFERENCE],
      expected: [],
      idle: [expectation],
    });
  }
});

test("an expectation that an earlier one leaves nothing to is idle", () => {
  const [wide, narrow] = [
    { scenario: "*", reason: "wide" },
    { scenario: "produce", reason: "narrow" },
  ];
  expect(judge([DIFFERENCE], [wide, narrow]).idle).toEqual([narrow]);
});
