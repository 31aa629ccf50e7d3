import { expect, test } from "vitest";
import { exposed, formatFor } from "./exposition.ts";
import { MetricsPage } from "./metrics-page.ts";
import { TimeBook } from "./times.ts";

const OPEN = "application/openmetrics-text";

test.each([
  ["", false],
  ["*/*", false],
  ["text/plain", false],
  ["text/html, application/json", false],
  [OPEN, true],
  [`${OPEN};version=1.0.0;q=0.8, text/plain;q=0.5`, true],
  [`${OPEN};q=0.2,text/plain;q=0.5`, false],
  [`text/plain, ${OPEN}`, true],
  [`${OPEN};q=0`, false],
  [`${OPEN};q=much`, false],
  [`Application/OpenMetrics-Text ; Q=1`, true],
])("who accepts %j gets OpenMetrics: %s", (accept, isOpen) => {
  expect(formatFor(accept).isOpen).toBe(isOpen);
});

test("what a label holds is written so that it can be read back, and the sample stays one line", () => {
  const page = new MetricsPage();
  page.add("kafka_consumergroup_members", 1, { consumergroup: 'a"b\\c\nd\ud800' });
  expect(exposed(page, formatFor("")).split("\n")).toEqual([
    "# HELP kafka_consumergroup_members Members of the group.",
    "# TYPE kafka_consumergroup_members gauge",
    'kafka_consumergroup_members{consumergroup="a\\"b\\\\c\\nd\ufffd"} 1',
    "",
  ]);
});

test("quantiles are of the last 1024 in a room that does not grow, sum and count of all", () => {
  const book = new TimeBook();
  expect(book.times).toEqual({ count: 0, sum: 0, quantiles: {} });
  for (let ms = 0; ms < 1_024; ms += 1) book.note(1_000);
  for (let ms = 1; ms <= 1_024; ms += 1) book.note(ms);
  expect(book.times).toEqual({
    count: 2_048,
    sum: 1_024 * 1_000 + (1_024 * 1_025) / 2,
    quantiles: { "0.50": 512, "0.75": 768, "0.95": 973, "0.98": 1_004, "0.99": 1_014, "0.999": 1_023 },
  });
});
