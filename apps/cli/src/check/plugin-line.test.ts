import { expect, test } from "vitest";
import { type Finding, pluginLine, type Status, statusOf } from "./plugin-line.ts";

const fine = "all is well";
const found = (status: Finding["status"], message: string): Finding => ({ status, check: "x", message });

test.each<readonly [Finding["status"][], Status]>([
  [[], "OK"],
  [["UNKNOWN"], "UNKNOWN"],
  [["UNKNOWN", "WARNING"], "WARNING"],
  [["WARNING", "CRITICAL", "UNKNOWN"], "CRITICAL"],
])("of %j the worst counts: %s, where what is not known hides nothing that is", (statuses, status) => {
  expect(statusOf({ findings: statuses.map((each) => found(each, "")) })).toBe(status);
});

test("what is worst is said first, and where nothing was found that all is well", () => {
  const findings = [found("UNKNOWN", "c"), found("WARNING", "b"), found("CRITICAL", "a")];
  expect(pluginLine({ findings, measures: [], fine })).toBe("CRITICAL - a; b; c");
  expect(pluginLine({ findings: [], measures: [], fine })).toBe("OK - all is well");
});

test("whatever names hold, the line is one, and what is measured stands behind its only bar", () => {
  const line = pluginLine({
    findings: [found("WARNING", "a|b\nc")],
    measures: [{ label: "lag a|b=c'd e", value: 1, warning: 0 }],
    fine,
  });
  expect(line).toBe("WARNING - a/b\\nc | 'lag a_b_c_d e'=1;0;;0");
});
