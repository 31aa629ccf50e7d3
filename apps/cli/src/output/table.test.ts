import { expect, test } from "vitest";
import { renderFacts, renderTable } from "./table.ts";

test("columns line up, two spaces apart, and nothing trails", () => {
  expect(
    renderTable(
      ["TOPIC", "PARTITIONS"],
      [
        ["orders", 2],
        ["a-longer-name", 12],
      ],
    ),
  ).toBe("TOPIC          PARTITIONS\norders         2\na-longer-name  12\n");
});

test("an absent cell prints a dash, so that awk's columns stay where they are", () => {
  expect(renderTable(["A", "B", "C"], [[null, "", 0]])).toBe("A  B  C\n-  -  0\n");
});

test("a table without rows is its header", () => {
  expect(renderTable(["TOPIC", "PARTITIONS"], [])).toBe("");
});

test("facts stand one a line, their values below each other", () => {
  expect(
    renderFacts([
      ["CLUSTER", "c1"],
      ["MODE", "auto"],
    ]),
  ).toBe("CLUSTER  c1\nMODE     auto\n");
});
