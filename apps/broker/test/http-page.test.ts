/** docs/http.md has every metric, as the table says it, and no other. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { METRICS, type Metric } from "../src/http/metrics/metric-table.ts";

test("the page on HTTP names every metric with its type, its labels and what it says", () => {
  const page = readFileSync(new URL("../../../docs/http.md", import.meta.url), "utf8");
  const rows = Object.entries<Metric>(METRICS).map(
    ([name, { type, labels, help }]) => `| \`${name}\` | ${type} | ${labels.join(", ")} | ${help} |`,
  );
  expect(page.split("\n").filter((line) => /^\| `(?:kafka|minikafka|process)_/.test(line))).toEqual(rows);
});
