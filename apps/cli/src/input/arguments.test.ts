import { expect, test } from "vitest";
import {
  brokerText,
  collectConfig,
  collectHeader,
  parseAcks,
  parseBroker,
  parseDelimiter,
  parseDuration,
  parseIsolation,
  wholeNumber,
} from "./arguments.ts";

test.each([
  ["localhost:9092", "localhost", 9092],
  ["localhost", "localhost", 9192],
  [":7", "127.0.0.1", 7],
  ["7", "127.0.0.1", 7],
  ["[::1]:7", "::1", 7],
  ["[::1]", "::1", 9192],
])("%s is a broker's address", (text, host, port) => {
  expect(parseBroker(text)).toEqual({ host, port });
  expect(parseBroker(brokerText({ host, port }))).toEqual({ host, port });
});

test.each([
  "",
  "a:b",
  "a:0",
  "a:65536",
  "0",
  "65536",
  "9192000",
  "::1",
  "http://a:1",
  "a b:1",
  "[::1",
  "a:1:2",
])("%j is no broker's address", (text) => {
  expect(() => parseBroker(text)).toThrow("Expected host:port");
});

test.each([
  ["500ms", 500],
  ["10s", 10_000],
  ["1.5s", 1_500],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["0s", 0],
  ["7d", 604_800_000],
  ["1.5d", 129_600_000],
  ["6d23h58m37.637s", 604_717_637],
])("%s lasts %i ms", (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test.each(["5", "", "s", "-1s", "1y", "1s ", "1s1h", "1h1h", "1h 1m", "1h5", "99999999999999999999h"])(
  "%j is no duration, because no one can be sure what it means",
  (text) => {
    expect(() => parseDuration(text)).toThrow("Expected a number and its unit");
  },
);

test.each(["", "-1", "1.5", "0x10", "1e3", " 1", "9007199254740993", "0"])(
  "%j is no whole number from 1",
  (text) => {
    expect(() => wholeNumber(1)(text)).toThrow("Expected a whole number from 1.");
  },
);

test("acks are Kafka's, and -1 means all", () => {
  expect(["0", "1", "all", "-1"].map(parseAcks)).toEqual(["0", "1", "all", "all"]);
});

test("an isolation is one of Kafka's two, with underscores or dashes", () => {
  expect(["read_committed", "read-uncommitted"].map(parseIsolation)).toEqual([
    "read_committed",
    "read_uncommitted",
  ]);
  expect(() => parseIsolation("committed")).toThrow("Expected read_committed or read_uncommitted");
});

test("a header's value is what follows the first equals sign; without one it is absent, not empty", () => {
  const headers = ["a=1=2", "b=", "c"].reduce(
    (before, text) => collectHeader(text, before),
    collectHeader("é=ü"),
  );
  expect(headers.map(({ key, value }) => [key, value?.toString() ?? null])).toEqual([
    ["é", "ü"],
    ["a", "1=2"],
    ["b", ""],
    ["c", null],
  ]);
  expect(() => collectHeader("=x")).toThrow("Expected name=value.");
});

test("settings are typed as the wire has them, and may be spelled as Kafka's", () => {
  const texts = ["retention.ms=1000", "name=x=y", "flag=true", "padded=007", "big=9007199254740993"];
  expect(texts.reduce((before, text) => collectConfig(text, before), {})).toEqual({
    retention_ms: 1000,
    name: "x=y",
    flag: true,
    padded: "007",
    big: "9007199254740993",
  });
});

test.each([
  ["segment_bytes=2048", "segment_bytes=4096"],
  ["segment_bytes=2048", "segment.bytes=2048"],
  ["toString=1", "toString=2"],
  ["__proto__=1", "__proto__=2"],
])("a setting that is given two values is refused, whatever its spelling: %s, %s", (first, second) => {
  const before = collectConfig(first);
  expect(Object.keys(before)).toHaveLength(1);
  expect(() => collectConfig(second, before)).toThrow(/ is given twice\.$/);
});

test("a delimiter may be any bytes, but not none", () => {
  expect(parseDelimiter("\\t")).toEqual(Buffer.from("\t"));
  expect(parseDelimiter("\\xff\\0")).toEqual(Buffer.of(0xff, 0));
  expect(() => parseDelimiter("")).toThrow("Expected at least one character.");
  expect(() => parseDelimiter("\\q")).toThrow("\\q has no meaning");
});

test("a setting in milliseconds may be a duration, and no other one is", () => {
  expect(collectConfig("retention.ms=1h")).toEqual({ retention_ms: 3_600_000 });
  expect(collectConfig("retention_ms=60000")).toEqual({ retention_ms: 60_000 });
  expect(collectConfig("cleanup_policy=1h")).toEqual({ cleanup_policy: "1h" });
});

test("a number without its unit is told which ones it might have", () => {
  expect(() => parseDuration("1000")).toThrow("1000ms or 1000s");
});
