import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { parseTopicConfig } from "./topic-config.ts";

test("a setting is taken as a number, or as its digits from a command line", () => {
  expect(parseTopicConfig({})).toEqual({});
  expect(parseTopicConfig({ segment_bytes: 4096, max_message_bytes: "1000" })).toEqual({
    segment_bytes: 4096,
    max_message_bytes: 1000,
  });
});

test.each([
  [{ retention_ms: 1 }, 'there is no setting "retention_ms"; known are segment_bytes, max_message_bytes'],
  [{ "segment.bytes": 4096 }, 'there is no setting "segment.bytes"; it is written segment_bytes'],
  [{ toString: 1 }, 'there is no setting "toString"; known are segment_bytes, max_message_bytes'],
  [{ "a\u001b[2J": 1 }, 'there is no setting "a\\u{1b}[2J"; known are segment_bytes, max_message_bytes'],
  [{ segment_bytes: true }, "segment_bytes is true; expected a whole number of bytes, 1024 to 2147483647"],
  [{ segment_bytes: 1.5 }, "segment_bytes is 1.5; expected a whole number of bytes, 1024 to 2147483647"],
  [{ segment_bytes: "1e6" }, 'segment_bytes is "1e6"; expected a whole number of bytes, 1024 to 2147483647'],
  [{ segment_bytes: 1023 }, "segment_bytes is 1023; expected a whole number of bytes, 1024 to 2147483647"],
  [
    { max_message_bytes: LIMITS.batchBytesMax + 1 },
    `max_message_bytes is ${LIMITS.batchBytesMax + 1}; expected a whole number of bytes, 64 to ${LIMITS.batchBytesMax}`,
  ],
])("the config %j is refused, and the message names key and bounds", (raw, message) => {
  expect(() => parseTopicConfig(raw)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", message }));
});

test("a setting called __proto__ is unknown like any other, and changes no prototype", () => {
  const raw = JSON.parse('{"__proto__": 4096}');
  expect(() => parseTopicConfig(raw)).toThrow('there is no setting "__proto__"');
});
