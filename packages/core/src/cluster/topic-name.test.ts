import { posix } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { collisionKey, topicNameProblem } from "./topic-name.ts";

test("a topic's name takes letters, digits, dot, underscore and hyphen, up to 249 of them", () => {
  for (const name of ["a", "orders", "A.b_c-1", "x-0", "...", "-", "CON", "toString", "a".repeat(249)]) {
    expect(topicNameProblem(name), name).toBeNull();
  }
  expect(topicNameProblem("a".repeat(250))).toBe("a topic's name has 250 characters; expected at most 249");
});

test.each([
  ["", "a topic's name is empty; expected at least one character"],
  [".", 'a topic cannot be called ".", which names a folder'],
  ["..", 'a topic cannot be called "..", which names a folder'],
  ["../x", '"../x" has "/" at position 2; a topic\'s name takes a-z, A-Z, 0-9, ".", "_" and "-"'],
  ["a/b", '"a/b" has "/" at position 1; a topic\'s name takes a-z, A-Z, 0-9, ".", "_" and "-"'],
  ["a\\b", '"a\\\\b" has "\\\\" at position 1; a topic\'s name takes a-z, A-Z, 0-9, ".", "_" and "-"'],
  [
    "orders\n",
    '"orders\\u{a}" has "\\u{a}" at position 6; a topic\'s name takes a-z, A-Z, 0-9, ".", "_" and "-"',
  ],
  ["a\0b", '"a\\u{0}b" has "\\u{0}" at position 1; a topic\'s name takes a-z, A-Z, 0-9, ".", "_" and "-"'],
  [
    "naïve",
    '"na\\u{ef}ve" has "\\u{ef}" at position 2; a topic\'s name takes a-z, A-Z, 0-9, ".", "_" and "-"',
  ],
  [
    "🦊",
    '"\\u{1f98a}" has "\\u{1f98a}" at position 0; a topic\'s name takes a-z, A-Z, 0-9, ".", "_" and "-"',
  ],
])("the name %j is refused with the reason", (name, reason) => {
  expect(topicNameProblem(name)).toBe(reason);
});

test("a refusal never echoes a character that a terminal would obey", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (name) => {
      expect(topicNameProblem(name) ?? "").toMatch(/^[ -~]*$/);
    }),
  );
});

test("no name that is taken leads out of its folder", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(".", "-", "_", "a", "0"), maxLength: 6 }), (name) => {
      fc.pre(topicNameProblem(name) === null);
      expect(posix.dirname(posix.join("/data/broker-1", `${name}-0`))).toBe("/data/broker-1");
    }),
  );
});

test("names that one disk or one metric could take for each other share a key", () => {
  expect(collisionKey("a.b")).toBe(collisionKey("a_b"));
  expect(collisionKey("Orders")).toBe(collisionKey("orders"));
  expect(collisionKey("a.B")).toBe(collisionKey("A_b"));
  expect(collisionKey("a-b")).not.toBe(collisionKey("a_b"));
});
