import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const NAMES = [
  "high-watermark",
  "acks",
  "isr_changed",
  "advance",
  "show",
  "request.produce",
  "NOT_ENOUGH_REPLICAS",
];

test.each([
  ["hig-watermark", "high-watermark"],
  ["isr_chnaged", "isr_changed"],
  ["request.prodcue", "request.produce"],
  ["NOT_ENOUGH_REPLICA", "NOT_ENOUGH_REPLICAS"],
  ["ACKS", "acks"],
  ["akcs", "acks"],
])("%s is taken for %s", (word, meant) => {
  expect(nearest(word, NAMES)).toBe(meant);
});

test.each(["set", "", "eleven", "11", "x"])("%j is near to none of them", (word) => {
  expect(nearest(word, NAMES)).toBeNull();
});

test("one letter is near to no other", () => {
  expect(nearest("d", ["a", "b"])).toBeNull();
  expect(nearest("A", ["a", "b"])).toBe("a");
});

test("a word as long as a message may be is near to nothing, and is told so at once", () => {
  expect(nearest("acks".repeat(250_000), NAMES)).toBeNull();
});
