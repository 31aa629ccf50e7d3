import { expect, test } from "vitest";
import { nothingTooLong } from "./lengths.ts";
import { workspaceOf } from "./workspace.ts";

const PATH = "packages/core/src/log/segment.ts";

function lines(count: number): string {
  return "// a line\n".repeat(count);
}

/** A function of `length` lines in a file of `length + 2`. */
function withFunction(head: string, length: number) {
  return workspaceOf({ [PATH]: `class Segment {\n${head} {\n${lines(length - 2)}}\n}\n` });
}

test("a file of 400 lines is not too long, one of 401 is", () => {
  expect(nothingTooLong(workspaceOf({ [PATH]: lines(400) }), {})).toEqual([]);
  expect(nothingTooLong(workspaceOf({ [PATH]: lines(401) }), {})).toEqual([
    `${PATH}: 401 lines, at most 400; split it along its ideas`,
  ]);
});

test.for([
  ["append()", "append"],
  ["#append()", "#append"],
  ["constructor()", "constructor"],
  ["static make = () =>", "make"],
])("%s of 60 lines is not too long, of 61 it is", ([head = "", name]) => {
  expect(nothingTooLong(withFunction(head, 60), {})).toEqual([]);
  expect(nothingTooLong(withFunction(head, 61), {})).toEqual([
    `${PATH}#${name}: 61 lines, at most 60; split it along its ideas`,
  ]);
});

test("a function that groups tests is as long as they are; a test is not", () => {
  const path = "packages/core/src/log/segment.test.ts";
  const grouped = workspaceOf({ [path]: `describe("it", () => {\n${lines(80)}});\n` });
  expect(nothingTooLong(grouped, {})).toEqual([]);
  const long = workspaceOf({ [path]: `test("it", () => {\n${lines(80)}});\n` });
  expect(nothingTooLong(long, {})).toEqual([
    `${path}#line 1: 82 lines, at most 60; split it along its ideas`,
  ]);
});

test("an exception holds to the line, shrinks with its file, and goes when it is no longer needed", () => {
  const long = workspaceOf({ [PATH]: lines(450) });
  expect(nothingTooLong(long, { [PATH]: 450 })).toEqual([]);
  expect(nothingTooLong(long, { [PATH]: 449 })).toEqual([
    `${PATH}: 450 lines, at most 449; split it along its ideas`,
  ]);
  expect(nothingTooLong(long, { [PATH]: 460 })).toEqual([
    `${PATH}: 450 lines now; lower its exception to 450`,
  ]);
  const short = workspaceOf({ [PATH]: lines(300) });
  expect(nothingTooLong(short, { [PATH]: 450 })).toEqual([`${PATH}: 300 lines now; remove its exception`]);
  expect(nothingTooLong(short, { [PATH]: 400 })).toEqual([`${PATH}: 300 lines now; remove its exception`]);
  expect(nothingTooLong(short, { [`${PATH}#gone`]: 70 })).toEqual([
    `${PATH}#gone: is gone; remove its exception`,
  ]);
});
