import { expect, test } from "vitest";
import { report } from "./report.ts";

const RAN = { version: "4.3.1", steps: 7, seconds: 3 };
const DIFFERENCE = {
  ...{ scenario: "fetch", step: "no byte", api: "Fetch", versions: [4, 17] },
  ...{ path: "a.b", ours: "1", kafka: "2" },
};

test("differences stand under their step, with both answers, and the reason where there is one", () => {
  const expected = [{ ...DIFFERENCE, step: "one byte", reason: "it is meant" }];
  const idle = [{ scenario: "produce", step: "magic 9", reason: "gone" }];
  const text = report(RAN, { unexpected: [DIFFERENCE], expected, idle }, true);
  expect(text).toMatch(/fetch \/ no byte \(Fetch v4, v17\)\n {2}a\.b\n {6}here {3}1\n {6}Kafka {2}2/);
  expect(text).toMatch(/fetch \/ one byte .*\n.*\n.*\n.*\n {6}because it is meant/);
  expect(text).toContain("produce / magic 9: *");
  expect(text.split("\n").at(-1)).toBe("1 unexpected, 1 expected, 1 expected and not seen");
});

test("what is expected is counted, and shown to who asks for it", () => {
  const expected = [{ ...DIFFERENCE, reason: "it is meant" }];
  const text = report(RAN, { unexpected: [], expected, idle: [] }, false);
  expect(text).not.toContain("it is meant");
  expect(text).toContain("0 unexpected, 1 expected (--all shows them)");
});
