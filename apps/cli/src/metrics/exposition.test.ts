import { expect, test } from "vitest";
import { metricsOf } from "./exposition.ts";

const PAGE = `# HELP up Whether \\\\ it\\nlives.
# TYPE up gauge
up 1
# a remark
# HELP time_ms How long.
# TYPE time_ms summary
time_ms{request="a",quantile="0.99"} 2.5
time_ms_sum{request="a"} 7
time_ms_count{request="a"} 3
# TYPE time_ms_other counter
time_ms_other{odd="a\\"b\\\\c\\nd,}",even=""} +Inf
`;

test("names, labels and numbers are read as they were written, whatever stands in them", () => {
  const [up, time, other] = metricsOf(PAGE);
  expect(up).toMatchObject({ name: "up", type: "gauge", help: "Whether \\ it\nlives." });
  expect(up?.samples).toEqual([{ suffix: "", labels: {}, value: 1 }]);
  expect(time?.samples).toEqual([
    { suffix: "", labels: { request: "a", quantile: "0.99" }, value: 2.5 },
    { suffix: "_sum", labels: { request: "a" }, value: 7 },
    { suffix: "_count", labels: { request: "a" }, value: 3 },
  ]);
  expect(other?.samples).toEqual([{ suffix: "", labels: { odd: 'a"b\\c\nd,}', even: "" }, value: Infinity }]);
});

test("each metric keeps its lines as they came", () => {
  const kept = metricsOf(PAGE).map(({ text }) => text);
  expect(kept.join("")).toBe(PAGE.replace("# a remark\n", ""));
});

test.each(["<html>", "{}", "up", "up one two three"])("what is no page of metrics is refused: %s", (page) => {
  expect(() => metricsOf(page)).toThrow(SyntaxError);
});
